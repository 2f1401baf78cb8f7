"""What others' calls may take while somebody attacks.

A control stands beside the attacked daemon: a workspace with the same settings, a daemon and an
account of the victim's, which nobody attacks. Each call is made at both, one right after the other:
what else the machine does delays both, and an attack on the daemon the one. Nor are 100 ms the same
on a busy machine: there they are as many more as a piece of work takes longer than it computes. And
what a daemon's threads do side by side on an idle machine they do one after the other on a busy
one, as the kernel gives each session or service its share.

What a daemon does for an attacker takes processors from both, as any program's work does. So that
is bounded by itself: few of the daemon's threads want one at a time, however many calls come.
"""
import contextlib
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import threading
import time
import typing

from hostile import VICTIM, VICTIMS_NAME, Client, HostileCase, command_as, home_of, restart
from workspace import Workspace, wait_until

# What a victim's call may take while somebody attacks.
FACTOR, SECONDS = 3.0, 0.100
# How many of the daemon's threads may want a processor at a time, on average: the ten that serve
# the mount, and what each of two users may have of long and of short calls (docs/adr/0036).
PROCESSORS = len(os.sched_getaffinity(0))
RUNNABLE = 20 + 2 * PROCESSORS


class Pair(typing.NamedTuple):
    """Seconds of the same call."""
    attacked: float
    control: float


class Round(typing.NamedTuple):
    calls: dict[str, Pair]
    slowness: float


class BoundedCase(HostileCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.control = Workspace(name="control", settings=cls.all_settings())
            cls.serve(cls.control, ((VICTIMS_NAME, VICTIM),))
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        with contextlib.suppress(AttributeError):
            cls.control.close()
        super().tearDownClass()

    # Calls

    def victims_calls(self, is_odd=False):
        """Each call of the victim's once. `is_odd`: the control's comes first."""
        step = -1 if is_odd else 1
        workspaces = (self.workspace, self.control)[::step]
        name = f"timed-{os.getpid()}-{threading.get_ident()}"
        result = subprocess.run(
            command_as(
                VICTIM, "time_calls", *(home_of(each, VICTIM) / name for each in workspaces)),
            capture_output=True, text=True, timeout=120)
        if result.returncode != 0:
            raise AssertionError(f"the victim's calls failed: {result.stderr}")
        found = dict(zip(
            ("open", "stat", "fsync"),
            (list(map(float, line.split())) for line in result.stdout.splitlines())))
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(each.socket, VICTIM)) for each in workspaces]
            for verb, values in (
                    ("lock", {"now": True}), ("unlock", {"passphrase": self.passphrase})):
                found[verb] = [
                    seconds_of(
                        client.call, f"Workspace.{verb.title()}", account=VICTIMS_NAME, **values)
                    for client in clients]
        return Round(
            {name: Pair(*seconds[::step]) for name, seconds in found.items()}, slowness())

    def assert_bounded(self, count=3, seconds=SECONDS):
        """That the victim's calls take no longer than they may, in the median. An attack goes on:
        it makes them late however many there are, and chance only a few."""
        rounds = []
        with self.assert_few_runnable():
            while not rounds or (late := late_calls(rounds, seconds)):
                if len(rounds) >= 5 * count:
                    self.fail(f"held up by another user: {late}")
                rounds += [self.victims_calls(is_odd=number % 2) for number in range(count)]

    # Processors

    @contextlib.contextmanager
    def assert_few_runnable(self):
        """In the mean, and while an attack goes on: its beginning may wake as many as there are."""
        daemon = served_by(self.workspace)
        before, start = wanted_seconds(daemon), time.monotonic()

        def runnable():
            # A thread that has ended takes its sums along: that can only make it less.
            return (wanted_seconds(daemon) - before) / (time.monotonic() - start)

        yield
        wait_until(
            lambda: runnable() < RUNNABLE, seconds=10,
            message=lambda: f"{runnable():.0f} threads of the daemon want a processor")

    # Starts

    def assert_starts_soon(self, prepare=lambda: None):
        """The next daemon serves within a second, or three times what the control takes to start.
        One start in three will do: what delays the attacked one delays each."""
        took = []
        while not took or all(pair.attacked >= max(1.0, FACTOR * pair.control) for pair in took):
            self.assertLess(len(took), 3, f"starts took {took}")
            took.append(Pair(self.restart(prepare), self.restart_control()))

    def restart_control(self):
        return restart(self.control, {VICTIMS_NAME: VICTIM})


def seconds_of(function, *arguments, **options):
    start = time.monotonic()
    function(*arguments, **options)
    return time.monotonic() - start


def slowness():
    """How many times longer a piece of work takes here than a processor is at it."""
    start, begin = time.monotonic(), time.thread_time()
    while time.thread_time() - begin < 0.02:
        pass
    return (time.monotonic() - start) / (time.thread_time() - begin)


def late_calls(rounds, seconds=SECONDS):
    """Those whose median is more than it may be, with what they took."""
    late, slow = {}, max(1.0, statistics.mean(each.slowness for each in rounds))
    in_turn = min(slow, PROCESSORS)
    for name in rounds[0].calls:
        attacked, control = (
            statistics.median(column) for column in zip(*(each.calls[name] for each in rounds)))
        if attacked > in_turn * max(FACTOR * control, seconds * slow):
            late[name] = (
                f"{attacked * 1000:.0f} ms; elsewhere {control * 1000:.0f} ms,"
                f" on a machine {slow:.1f} times as slow as it is")
    return late


def served_by(workspace):
    """The daemon's process, asked of its socket: an attack can keep /proc from answering."""
    with Client(workspace.socket) as client:
        told = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("iII", told)[0]


def wanted_seconds(daemon):
    """For how long its threads have had a processor, or waited for one."""
    total = 0
    for task in pathlib.Path(f"/proc/{daemon}/task").iterdir():
        with contextlib.suppress(OSError):
            total += sum(map(int, (task / "schedstat").read_text().split()[:2]))
    return total / 1e9
