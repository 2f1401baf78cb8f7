"""Runs real programs contained (docs/CONTAINMENT.md), and looks for what they leave outside.

    contained.py [--only NAME,NAME] [--not-contained]

scripts/dev programs contained runs it with the programs that were just built. A line for each
program: its version, what it did, what it said when it was to save outside, and what is outside
afterwards: files that it wrote to, and files anywhere on the disk that have the document's text.
Exit status 1: something did not work, or is outside. --not-contained runs them as they would be
otherwise: each must have left its document outside.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "Integration"), str(HERE.parent / "Measure")]

import running
from check import Failure
from contained_list import PROGRAMS
from contained_place import Place


def arguments():
    parser = argparse.ArgumentParser(description="real programs, contained")
    parser.add_argument(
        "--only", default=",".join(PROGRAMS), help="these alone: " + ",".join(PROGRAMS))
    parser.add_argument("--not-contained", action="store_true", help="to see that it matters")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(PROGRAMS):
        parser.error(f"unknown: {', '.join(unknown)}")
    return options


def version_of(package):
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return re.sub(r"^\d+:|[-+~].*", "", done.stdout) or "not installed"


def check_the_look(place):
    """What is put outside on purpose is found there, and seen when it is written."""
    place.begin("look")
    text = place.phrase
    subprocess.run([sys.executable, HERE / "leave_text.py", text, place.outside], check=True)
    shared = pathlib.Path(f"/dev/shm/mamd-look-{text}")
    shared.write_text("its name has it")
    try:
        written, found = place.finish()
    finally:
        shared.unlink()
    names = {"plain", "wide", "packed.gz", "packed.odt"}
    if {pathlib.Path(path).name for path in found} != names | {shared.name}:
        raise SystemExit(f"contained: the look at the disk is worth nothing: {found}")
    if {pathlib.Path(path).name for path in written} != names | {"removed"}:
        raise SystemExit(f"contained: the watch is worth nothing: {written}")
    for path in place.outside.iterdir():
        path.unlink()


def outcome_of(name, place):
    """Whether it is good, and the line that says so."""
    program = PROGRAMS[name]
    version = version_of(program.package)
    place.begin(name)
    problems = []
    try:
        said = program.run(place)
        place.kept_out()
    except Failure as problem:
        problems.append(f"FAILS: {problem}")
    except Exception:
        problems.append(f"FAILS: {traceback.format_exc(limit=-3)}")
    written, found = place.finish()
    problems += [f"OUTSIDE: {path}" for path in sorted(written | set(found))]
    if problems:
        return False, f"{name} {version}: " + "; ".join(problems)
    return True, f"{name} {version}: {program.does}; outside: {said!r}; left outside: nothing"


def bare_outcome_of(name, place):
    """Whether it saved outside what it may not when it is contained."""
    place.begin(name)
    try:
        PROGRAMS[name].run(place)
    except Exception:
        # It waited for an error, and got none.
        pass
    written, _ = place.finish()
    saved = sorted(path for path in written if pathlib.Path(path).is_relative_to(place.outside))
    shutil.rmtree(place.outside)
    place.outside.mkdir()
    return bool(saved), f"{name}, not contained: wrote {saved}"


def main():
    options = arguments()
    running.remove_dead_runs()
    running.go_apart()
    place = Place(contained=not options.not_contained)
    failed = 0
    try:
        place.start()
        place.open_display()
        check_the_look(place)
        for name in options.only:
            good, line = (bare_outcome_of if options.not_contained else outcome_of)(name, place)
            failed += not good
            print(line, flush=True)
    finally:
        place.close()
    good = f"{len(options.only) - failed} of {len(options.only)} programs"
    print(f"{good} left their document outside, not contained" if options.not_contained
          else f"{good} work and leave nothing of a document outside")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
