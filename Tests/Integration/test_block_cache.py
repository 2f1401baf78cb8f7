"""What the kernel holds of files of every class once their account is blocked: nothing readable,
and nothing is lost."""
import contextlib
import errno
import os
import signal
import unittest

from enrolling import EnrollmentCase
from page_cache import are_mostly, cachestat, frames, frames_in_use, readable_pages
from running import has_ended
from test_lock_cache import FileUsers
from workspace import kept_known, pattern, wait_until

# Others would take the page frames that it watches.
ALONE = True

PAGE = os.sysconf("SC_PAGESIZE")
SIZE = 1 << 20
BEFORE, AFTER = pattern(SIZE), pattern(SIZE)[::-1]
CLASSES = "ABCD"


class BlockedCache(EnrollmentCase):
    def setUp(self):
        super().setUp()
        self.users = FileUsers()
        self.addCleanup(self.users.kill)
        self.begin()
        self.set_policy(maximumAllowedDeviceThreatLevel="low")
        self.workspace.serving("account check-in")
        self.trust()

    def trust(self):
        self.workspace.serving("threat", "set", "secured")
        self.workspace.unlock()

    def block_it(self):
        self.workspace.serving("threat", "set", "medium")
        self.assertEqual(self.block(), "launch")

    def made(self, name, level):
        path = self.workspace.path(f"{name} {level}")
        path.write_bytes(BEFORE)
        self.workspace.ctl("class", "--set", level, path)
        self.assertEqual(self.workspace.info(path)["class"], level)
        return path

    def opened(self, path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        self.addCleanup(self.close, descriptor)
        return descriptor

    def close(self, descriptor):
        with contextlib.suppress(OSError):  # the daemon may have been killed
            os.close(descriptor)

    def cached(self, path):
        descriptor = self.opened(path)
        self.assertEqual(os.pread(descriptor, SIZE, 0), BEFORE)
        cached = readable_pages(descriptor, SIZE)
        self.assertTrue(are_mostly(cached, SIZE // PAGE), cached)
        return descriptor

    @unittest.skipUnless(os.getuid() == 0, "looks at page frames, which only root can")
    def test_no_cached_page_is_readable_and_none_stays(self):
        held = {level: self.cached(self.made("held", level)) for level in CLASSES}
        mapped = {level: self.cached(self.made("mapped", level)) for level in CLASSES}
        for level in CLASSES:
            self.users.start("map-shared", self.workspace.path(f"mapped {level}"))
        closed = []
        for level in CLASSES:
            path = self.made("closed", level)
            self.enterContext(kept_known(path))
            descriptor = os.open(path, os.O_RDONLY)
            closed += frames(descriptor, SIZE)
            os.close(descriptor)
        in_use = frames_in_use(closed)
        self.assertTrue(are_mostly(in_use, len(closed)), in_use)
        self.block_it()
        # Others may have taken a freed frame meanwhile.
        self.assertLess(frames_in_use(closed), len(closed) // 2)
        for program in self.users.programs:
            self.users.tell(program)
        self.assertEqual(self.users.end(), [-signal.SIGBUS] * len(CLASSES))
        for level, descriptor in [*held.items(), *mapped.items()]:
            with self.subTest(level):
                self.assertEqual(
                    (cachestat(descriptor).dirty, readable_pages(descriptor, SIZE)), (0, 0))
                with self.refused(errno.EACCES):
                    os.pread(descriptor, 1, 0)
                with self.refused(errno.EACCES):
                    os.pwrite(descriptor, b"x", 0)
                self.assertEqual(readable_pages(descriptor, SIZE), 0)
        self.trust()
        for descriptor in [*held.values(), *mapped.values()]:
            self.assertEqual(os.pread(descriptor, SIZE + 1, 0), BEFORE)

    def test_what_was_written_before_it_is_on_disk(self):
        paths = [self.made("written", level) for level in CLASSES]
        fresh = [self.workspace.path(f"new {number}") for number in range(4)]
        for path in [*paths, *fresh]:
            self.assertEqual(os.pwrite(self.opened(path), AFTER, 0), SIZE)
        stored = [self.made("stored into", level) for level in CLASSES]
        for path in stored:
            self.users.start("store", path)
        self.block_it()
        self.users.end()
        # Nobody else can bring it there any more.
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))
        self.workspace.ctl("unmount", self.workspace.mount_point)
        self.workspace.mount()
        self.trust()
        for path in [*paths, *fresh]:
            self.assertEqual(path.read_bytes(), AFTER, path)
        for path in stored:
            self.assertNotEqual(path.read_bytes(), BEFORE, path)
        self.assertEqual(self.workspace.ctl("verify", self.workspace.mount_point).returncode, 0)


if __name__ == "__main__":
    unittest.main()
