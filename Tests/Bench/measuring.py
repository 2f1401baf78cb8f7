"""One run: every store, with all its places mounted at once."""
import contextlib
import dataclasses
import pathlib
import resource
import shutil
import tempfile

from archive import Archive
from filesystems import check_sealed
from machine import machine
from results import Results
from rounds import Rounds
from stores import STORES
from work import build
from running import PREFIX, remove_dead_runs


@contextlib.contextmanager
def scratch(options):
    """A directory in memory and one on the disk, with the programs in the latter."""
    remove_dead_runs()
    # passthrough_ll has a descriptor for each file that the kernel knows.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir="/dev/shm") as memory, \
            tempfile.TemporaryDirectory(prefix=PREFIX, dir=options.disk) as disk:
        # Not in memory: nobody may run what is there where it is mounted noexec.
        programs = pathlib.Path(disk, "programs")
        programs.mkdir()
        build(programs)
        yield pathlib.Path(memory), pathlib.Path(disk)


@contextlib.contextmanager
def mounted(kinds, store, directory):
    """The places that run here; and of those that do not, why."""
    running, missing = [], {}
    try:
        for kind in kinds:
            problem = start(kind, store, directory, running)
            if problem:
                missing[kind.name] = problem
        yield running, missing
    finally:
        for place in reversed(running):
            place.close()


def start(kind, store, directory, running):
    absent = [program for program in kind.programs if not shutil.which(program)]
    if absent:
        return f"not installed: {', '.join(absent)}"
    place = kind(directory / kind.name, store(directory / kind.name))
    running.append(place)
    try:
        place.start()
        check_sealed(place)
        return None
    except (OSError, RuntimeError, AssertionError) as problem:
        running.pop().close()
        return str(problem)


@contextlib.contextmanager
def alone(options):
    """The first of the places on the first of the stores that were asked for, and what is kept
    with its figures."""
    kind, store = options.kinds[options.on[0]], options.stores[0]
    with scratch(options) as (_, disk), mounted([kind], STORES[store], disk) as (places, missing):
        if not places:
            raise SystemExit(f"bench: {missing[kind.name]}")
        yield places[0], {"machine": machine(), "store": store, "place": kind.name}


def measure(options):
    """The figures, and what failed that may not."""
    settings = {
        "rounds": options.rounds, "mount_options": options.mount_options, "ring": options.ring,
        "cipher": options.cipher,
        "sizes": {
            name: str(value) if isinstance(value, pathlib.Path) else value
            for name, value in dataclasses.asdict(options.sizes).items()}}
    results, failed = Results(options.on, machine(), settings), []
    with scratch(options) as (memory, disk):
        archive = Archive(options.sizes.tree, memory / "tree.tar")
        for store in options.stores:
            (disk / store).mkdir()
            kinds = [options.kinds[name] for name in options.on]
            with mounted(kinds, STORES[store], disk / store) as (places, missing):
                rounds = Rounds(store, places, options, archive, results)
                rounds.leave_out(missing)
                rounds.run()
                failed += rounds.failed
    return results, failed
