"""SQLite: after a kill of the writer or of the daemon each committed row is there."""
import os
import random
import signal
import subprocess
import sys
import time

import kill_writers
from check import Check, Failure


def killed(writer_class, victim):
    def run(work):
        if victim == "daemon":
            work.need_daemon()
        rounds, chance = work.choose(10, 100), random.Random(os.urandom(8))
        writer = writer_class(work.directory, work.outside / "log")
        for number in range(rounds):
            with subprocess.Popen(
                    [sys.executable, "-B", kill_writers.__file__, writer_class.__name__,
                    work.directory, writer.log, str(number)],
                    stderr=subprocess.PIPE) as process:
                let_it_commit(writer, process)
                time.sleep(chance.uniform(0, 0.2))
                if victim == "writer":
                    process.kill()
                else:
                    work.place.kill()
                    work.place.come_back()
                _, said = process.communicate(timeout=60)
                work.demand(
                    process.returncode in (0, -signal.SIGKILL, -signal.SIGBUS),
                    f"the writer: {said.decode()[-300:]}")
            try:
                writer.check()
            except kill_writers.Wrong as problem:
                raise Failure(str(problem)) from None
        return f"{rounds} kills, {writer.last('<', 0)} rows"

    return run


def let_it_commit(writer, process):
    """Waits until the log grows."""
    before, end = writer.size(), time.monotonic() + 60
    while writer.size() == before and process.poll() is None:
        if time.monotonic() > end:
            process.kill()
            raise Failure("no row in 60 s")
        time.sleep(0.01)


CHECKS = [
    Check(f"SQLite, {mode}: {victim} killed", killed(kind, victim))
    for victim in ("writer", "daemon")
    for mode, kind in (("WAL", kill_writers.WriteAhead), ("rollback", kill_writers.Database))]
