"""Measures what one user's attack on root's daemon leaves of another user's calls.

    measure_bounds.py [--rounds N] [ATTACK…]

Each call of the victim's is made at the attacked daemon and at a control, which nobody attacks,
one right after the other (Tests/Hostile/bounds.py): in half of the rounds while all is quiet, in
the others beside the attack. Medians and 99th percentiles are shown, what the daemon has of the
processors, and how many of its threads want one at a time. The programs measured are those in PATH.
"""
import argparse
import os
import pathlib
import platform
import statistics
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Integration"), str(HERE.parent / "Hostile")]

from bounds import Pair, wanted_seconds
from report import Table
from test_hostile_identities import Identities
from test_hostile_refusals import Refusals
from test_hostile_shares import Sockets


class Attack(typing.NamedTuple):
    case: typing.Any
    what: str
    # A context of a case in which it goes on.
    begin: typing.Callable


ATTACKS = {
    "threads": Attack(
        Identities, "5,000 threads with identities, 40 children that open files",
        lambda case: case.threads()),
    "families": Attack(
        Identities, "5,000 threads, four children with 1,000 parents and more",
        lambda case: case.families()),
    "parents": Attack(
        Identities, "40 children with more than 1,024 parents",
        lambda case: case.longer_families()),
    "opens": Attack(
        Refusals, "refused opens", lambda case: case.refused_opens()),
    "calls": Attack(
        Refusals, "refused calls, on 64 connections", lambda case: case.refused_calls()),
    "values": Attack(
        Sockets, "frames of a million values, on 64 connections of two users",
        lambda case: case.frames_of_values()),
}


def rounds(case, count):
    """Times by call, how slow the machine was, and of the daemon: processors that it had, threads
    that wanted one."""
    daemon = case.workspace.daemon()
    start, used, wanted = time.monotonic(), case.daemon_seconds(), wanted_seconds(daemon)
    runs = [case.victims_calls(is_odd=number % 2) for number in range(count)]
    took = time.monotonic() - start
    return (
        {name: Pair(*zip(*(run.calls[name] for run in runs))) for name in runs[0].calls},
        statistics.mean(run.slowness for run in runs),
        (case.daemon_seconds() - used) / took, (wanted_seconds(daemon) - wanted) / took)


def measure(attack, count):
    attack.case.setUpClass()
    case = attack.case()
    try:
        case.setUp()
        quiet, *_ = rounds(case, count)
        with attack.begin(case):
            beside, slow, used, wanted = rounds(case, count)
    finally:
        case.doCleanups()
        attack.case.tearDownClass()
    print(
        f"\n{attack.what}{told_rate(case)}: the daemon has {used:.2f} processors, {wanted:.1f} of"
        f" its threads want one; load {os.getloadavg()[0]:.0f}, a piece of work takes {slow:.1f}"
        " times as long as it computes")
    show(quiet, beside)


def told_rate(case):
    rate = getattr(case, "rate", 0)
    return f", {rate:,.0f} in a second" if rate else ""


def show(quiet, beside):
    table = Table(
        "Milliseconds, median (99th percentile)", "call", "quiet", "attacked", "times",
        "control beside it", "times")
    for name, pairs in beside.items():
        attacked, control = map(statistics.median, pairs)
        table.row(
            name, figures(quiet[name].attacked), figures(pairs.attacked),
            f"{attacked / statistics.median(quiet[name].attacked):.1f}", figures(pairs.control),
            f"{attacked / control:.1f}")
    table.show()


def figures(seconds):
    in_order = sorted(seconds)
    late = in_order[min(len(in_order) - 1, len(in_order) * 99 // 100)]
    return f"{1000 * statistics.median(in_order):.2f} ({1000 * late:.1f})"


def main():
    parser = argparse.ArgumentParser(description="what attacks leave of another user's calls")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    options = parser.parse_args()
    if unknown := set(options.attacks) - set(ATTACKS):
        parser.error(f"no such attack: {', '.join(unknown)}")
    if os.getuid() != 0:
        parser.error("only root can attack as several users")
    print(
        f"{processor()}, {os.cpu_count()} processors, Linux {platform.release()}, load"
        f" {os.getloadavg()[0]:.0f}; {options.rounds} rounds")
    for name in options.attacks or ATTACKS:
        measure(ATTACKS[name], options.rounds)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
