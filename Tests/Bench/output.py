"""What becomes of the figures: tables, pictures, the document, the targets."""
import sys

from machine import ROOT
from plots import write_plots
from tables import all_tables, into_document
from targets import check

DOCUMENT, IMAGES = ROOT / "docs" / "BENCHMARKS.md", ROOT / "docs" / "images"


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
    pictures = "\n".join(f"![{name}](images/{name})" for name in write_plots(results, IMAGES))
    new = "\n\n".join(filter(None, (pictures, all_tables(results))))
    DOCUMENT.write_text(into_document(DOCUMENT.read_text(), new))
