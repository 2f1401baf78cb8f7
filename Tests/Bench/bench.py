#!/usr/bin/python3
"""Measures the mounted file system beside its peers, and prints tables. scripts/dev bench runs it.

Exit status 1: mamd, or the store alone, failed at something.
"""
import json
import os
import pathlib
import resource
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / name) for name in ("Integration", "Measure", "Programs")]

import workspace  # noqa: E402
from archive import Archive  # noqa: E402
from filesystems import check_sealed, closing  # noqa: E402
from options import parse  # noqa: E402
from results import Results  # noqa: E402
from rounds import Rounds  # noqa: E402
from stores import STORES  # noqa: E402
from tables import tables  # noqa: E402
from work import build  # noqa: E402


def started(kinds, store, directory):
    """Those that run here; of those that do not, why."""
    running, missing = [], {}
    for kind in kinds:
        absent = [program for program in kind.programs if not shutil.which(program)]
        if absent:
            missing[kind.name] = f"not installed: {', '.join(absent)}"
            continue
        place = kind(directory / kind.name, store(directory / kind.name))
        running.append(place)
        try:
            place.start()
            check_sealed(place)
        except (OSError, RuntimeError, AssertionError) as problem:
            place.close()
            running.remove(place)
            missing[kind.name] = str(problem)
    return running, missing


def measure(options, store, archive, results, directory):
    kinds = [options.kinds[name] for name in options.on]
    places = []
    with closing(places):
        running, missing = started(kinds, STORES[store], directory)
        places += running
        for name, reason in missing.items():
            print(f"{name} on {store}: left out: {reason}", file=sys.stderr)
        rounds = Rounds(store, places, options, archive, results)
        rounds.run()
        return rounds.failed + [f"{name}: {reason}" for name, reason in missing.items() if name.startswith("mamd")]


def main():
    options = parse()
    if options.programs:
        os.environ["PATH"] = f"{options.programs}:{os.environ['PATH']}"
    workspace.remove_dead_runs()
    # passthrough_ll has a descriptor for each file that the kernel knows.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    results, failed = Results(), []
    with tempfile.TemporaryDirectory(prefix=workspace.PREFIX, dir="/dev/shm") as memory, \
            tempfile.TemporaryDirectory(prefix=workspace.PREFIX, dir=options.disk) as disk:
        memory = pathlib.Path(memory)
        build(memory)
        archive = Archive(options.sizes.tree, memory / "tree.tar")
        for store in options.stores:
            directory = pathlib.Path(disk, store)
            directory.mkdir()
            failed += measure(options, store, archive, results, directory)
    shown = [place for place in options.on if any(
        place in places for store in results.figures.values() for places in store.values())]
    print("\n\n".join(tables(results, store, shown) for store in options.stores))
    if options.json:
        options.json.write_text(json.dumps({"figures": results.figures, "reasons": results.reasons}, indent=1))
    for problem in failed:
        print(f"bench: FAILED: {problem}", file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
