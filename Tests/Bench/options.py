"""The command line."""
import argparse
import pathlib

from anchors import ANCHORS
from filesystems import CIPHERS, FILE_SYSTEMS, Ringed, with_cipher, with_options
from sizes import QUICK, Sizes
from stores import STORES
from workloads import ALL


def parse(words=None):
    parser = argparse.ArgumentParser(
        prog="scripts/dev bench", description="the mounted file system beside its peers")
    what_to_measure(parser)
    what_to_make_of_it(parser)
    options = parser.parse_args(words)
    options.sizes = QUICK if options.quick else Sizes()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.stores = [*STORES] if options.store == "both" else [options.store]
    options.kinds = kinds(options)
    options.on = options.on or [*options.kinds]
    unknown = set(options.on) - set(options.kinds)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(options.kinds)}")
    return options


def what_to_measure(parser):
    parser.add_argument(
        "--quick", action="store_true", help="small sizes and one round: to see that all works")
    parser.add_argument("--rounds", type=int, help="how often; the median counts (3)")
    parser.add_argument(
        "--only", type=workloads, default=[*ALL], help=f"these workloads alone: {', '.join(ALL)}")
    parser.add_argument(
        "--on", type=lambda text: text.split(","),
        help=f"these places alone: {', '.join([*FILE_SYSTEMS, *ANCHORS])}")
    parser.add_argument(
        "--store", choices=[*STORES, "both"], default="both", help="what lies below")
    parser.add_argument(
        "--disk", type=pathlib.Path, default=pathlib.Path("/var/tmp"),
        help="where the ext4 images go")
    parser.add_argument(
        "--mount-options", help="mamd once more, mounted with these; several with commas")
    parser.add_argument("--ring", action="store_true", help="mamd once more, mounted with io_uring")
    parser.add_argument(
        "--cipher", choices=CIPHERS, help="mamd's, as on a processor that has no faster one")
    parser.add_argument(
        "--processors", type=int,
        help="so many of them for the daemons and their callers; the kernel's threads have all")
    parser.add_argument(
        "--programs", type=pathlib.Path,
        help="a directory with the mamd and mamctl to measure: no build")
    parser.add_argument(
        "--costs", action="store_true", help="instead: what operations cost the daemon, counted")
    parser.add_argument(
        "--requests", action="store_true",
        help="instead: which requests operations take, and how long each of them")
    parser.add_argument(
        "--growth", action="store_true",
        help="instead: what operations on mamd cost beside more files, clients, accounts")
    parser.add_argument(
        "--hours", type=float,
        help="instead: so long a mixed load on mamd, sampled once a minute, and a tenth of it on a "
        "new daemon; parts of an hour too")
    parser.add_argument(
        "--million", type=int, nargs="?", const=1_000_000,
        help="instead: a tree of so many files on mamd")


def what_to_make_of_it(parser):
    parser.add_argument(
        "--from", dest="file", type=pathlib.Path,
        help="no measurement: the figures that --json wrote")
    parser.add_argument(
        "--check", type=pathlib.Path, help="the same, and compare them with the targets")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all figures")
    parser.add_argument("--plots", type=pathlib.Path, help="a directory for the pictures")
    parser.add_argument(
        "--write-docs", action="store_true", help="into docs/BENCHMARKS.md, with its pictures")


def workloads(text):
    words = text.split(",")
    unknown = set(words) - set(ALL)
    if unknown:
        raise argparse.ArgumentTypeError(
            f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
    return words


def kinds(options):
    """By name, in the order of the columns."""
    ours = [FILE_SYSTEMS["mamd"]]
    if options.ring:
        ours.append(Ringed)
    if options.mount_options:
        ours.append(with_options(options.mount_options))
    if options.cipher:
        ours = [with_cipher(kind, options.cipher) for kind in ours]
    others = {**FILE_SYSTEMS, **ANCHORS}
    del others["mamd"]
    others["bare"] = others.pop("bare")
    return {kind.name: kind for kind in (*ours, *others.values())}
