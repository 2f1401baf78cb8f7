"""What becomes of the figures: tables, pictures, the document, the targets."""
import re
import sys

from machine import ROOT
from plots import write_plots
from results import Results
from tables import all_tables, into_document, main_tables
from targets import check

DOCUMENT, IMAGES = ROOT / "docs" / "BENCHMARKS.md", ROOT / "docs" / "images"
# One run of each kind of processor, cipher, number of processors and store: all are in the
# document, only the newest of a store with its rows.
RUNS = ROOT / "Tests" / "Bench" / "runs"


def put_out(results, options):
    """True when no target was missed, or none was asked about."""
    print(all_tables(results))
    if options.json:
        results.save(options.json)
    if options.plots:
        write_plots(results, options.plots)
    if options.write_docs:
        write_document(results)
    if not options.check:
        return True
    lines, missed = check(results)
    print("", *lines, f"{missed} missed", sep="\n", file=sys.stderr)
    return not missed


def write_document(results):
    """The pictures are of this run; the tables of all that were kept: whole of the newest on each
    store, of others the means."""
    RUNS.mkdir(exist_ok=True)
    results.save(RUNS / f"{name_of(results)}.json")
    pictures = "\n".join(f"![{name}](images/{name})" for name in write_plots(results, IMAGES))
    runs = [Results.load(file) for file in sorted(RUNS.glob("*.json"))]
    by_date = sorted(runs, key=lambda run: run.machine.get("date", ""))
    newest = {tuple(run.figures): run for run in by_date}
    tables = (
        main_tables(run) if run is newest[tuple(run.figures)] else main_tables(run, {})
        for run in runs)
    new = "\n\n".join(filter(None, (pictures, *tables)))
    DOCUMENT.write_text(into_document(DOCUMENT.read_text(), new))


def name_of(results):
    """Of the file: a later run of the same kind replaces an earlier one."""
    machine = results.machine
    words = (
        machine.get("processor", "unknown").replace("(R)", ""),
        results.settings.get("cipher") or "own", machine.get("cores", ""),
        *(store for store in results.figures if store != "tmpfs"))
    return "-".join(re.findall(r"[a-z0-9]+", " ".join(map(str, words)).lower()))
