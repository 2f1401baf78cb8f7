"""One program alone on the mount: who serves it, what that costs, and that others are served beside it."""
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from workspace import MOUNT_OPTIONS, WorkspaceCase, daemons, wait_until

# It times, and counts idle processors.
ALONE = True

TWO_PROCESSORS = os.cpu_count() == 2 and len(os.sched_getaffinity(0)) == 2 and "no_busy_wait" not in MOUNT_OPTIONS
TICK = 1 / os.sysconf("SC_CLK_TCK")

# One short request after the other, for so many seconds: files that are made, read and removed.
CALLER = """
import os, sys, time
end = time.monotonic() + float(sys.argv[1])
count = 0
while time.monotonic() < end:
    name = f"one-{os.getpid()}"
    with open(name, "xb") as file:
        file.write(bytes(100))
    with open(name, "rb") as file:
        assert file.read() == bytes(100)
    os.unlink(name)
    count += 1
print(count)
"""


class Callers(WorkspaceCase):
    def start(self, seconds):
        caller = subprocess.Popen(
            [sys.executable, "-c", CALLER, str(seconds)], cwd=self.directory, stdout=subprocess.PIPE, text=True)
        self.addCleanup(caller.stdout.close)
        self.addCleanup(caller.wait)
        self.addCleanup(caller.kill)
        return caller

    def keepers(self):
        (pid,) = daemons(str(self.workspace.root))
        return [
            task for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
            if (task / "comm").read_text().strip() == "keeper"]

    def statistics(self):
        """Processor time in seconds and niceness of the keeper."""
        (keeper,) = self.keepers()
        fields = (keeper / "stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK, int(fields[16])

    def finish(self, *callers):
        counts = [int(caller.communicate(timeout=60)[0]) for caller in callers]
        self.assertEqual([caller.returncode for caller in callers], [0] * len(callers))
        return counts


@unittest.skipUnless(TWO_PROCESSORS, "a processor is kept busy where there are two alone")
class OnTwoProcessors(Callers):
    def test_the_other_processor_is_kept_busy_for_it_and_no_longer(self):
        # Long enough for the little that it gets where others keep this machine busy; ended as soon as it has it.
        caller = self.start(60)
        wait_until(self.keepers)
        used, niceness = self.statistics()
        self.assertEqual(niceness, 19)
        wait_until(lambda: self.statistics()[0] - used > 0.1, 60)
        self.assertIsNone(caller.poll())
        caller.kill()
        caller.wait()
        time.sleep(0.1)
        used = self.statistics()[0]
        time.sleep(0.5)
        self.assertLessEqual(self.statistics()[0] - used, 2 * TICK)

    def test_several_are_not_alone(self):
        self.finish(self.start(1))
        before = self.statistics()[0]
        self.finish(self.start(2), self.start(2))
        # Where one ends a moment before the other, that one is alone.
        self.assertLess(self.statistics()[0] - before, 0.5)

    def test_who_has_work_goes_first(self):
        """Two programs that only compute have the processors, but for what the caller takes."""
        count = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass"
        caller = self.start(4)
        began, before = time.monotonic(), self.statistics_or_none()
        work = [subprocess.Popen([sys.executable, "-c", count]) for _ in range(2)]
        wait_until(lambda: any(one.poll() is not None for one in work), 60)
        seconds = time.monotonic() - began
        kept = self.statistics_or_none() - before
        self.assertEqual([one.wait(timeout=60) for one in work], [0, 0])
        self.finish(caller)
        self.assertLess(kept, seconds * 0.15)

    def test_none_is_kept_busy_where_that_is_not_wanted(self):
        self.addCleanup(self.workspace.remount)
        self.workspace.unmount()
        self.workspace.mount("-o", "no_busy_wait").unlock()
        self.finish(self.start(1))
        self.assertEqual(self.keepers(), [])

    def statistics_or_none(self):
        return self.statistics()[0] if self.keepers() else 0


class OnAnyMachine(Callers):
    def test_no_request_waits_for_a_caller_that_is_alone(self):
        """One that comes in between, again and again, from whichever thread, is served at once."""
        caller = self.start(3)
        other = self.directory / "other"
        self.write(other, b"theirs", durable=False)
        slowest = 0
        for _ in range(200):
            began = time.monotonic()
            self.assertEqual(other.read_bytes(), b"theirs")
            thread = threading.Thread(target=os.listdir, args=[self.directory])
            thread.start()
            thread.join()
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.01)
        self.finish(caller)
        self.assertLess(slowest, 1)

    def test_alone_together_and_alone_again(self):
        """Each change of who listens, many times over: nothing gets lost or stuck."""
        caller = self.start(6)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.finish(self.start(0.05), self.start(0.02))
        self.assertGreater(self.finish(caller)[0], 100)


if __name__ == "__main__":
    unittest.main()
