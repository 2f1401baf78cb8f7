"""A lock that lacks what it needs: no thread can be started, or there is no time for all that is to
be stored."""
import errno
import os
import re
import unittest

from socket_client import Client
from test_lock_cache import CacheCase
from tracing import injecting
from workspace import ANN

DEADLINE = 2


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class Short(CacheCase):
    settings = {"LockDeadlineSeconds": DEADLINE}

    def opened(self, name):
        descriptor = os.open(self.directory / name, os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def test_without_a_thread_to_drop_pages_they_are_dropped_all_the_same(self):
        read, written = self.opened("read"), self.opened("written")
        os.pwrite(read, b"of the organisation", 0)
        os.fsync(read)
        with Client(self.workspace.socket) as client:
            client.call("Workspace.Status")
            os.pwrite(written, b"not stored yet", 0)
            with injecting(self.workspace.daemon(), "clone,clone3", "error=EAGAIN"):
                answer = client.call("Workspace.Lock", account=ANN, now=True)
                self.assertEqual(answer["stragglers"], [])
                for descriptor in (read, written):
                    with self.refused(errno.ENOKEY):
                        os.pread(descriptor, 100, 0)
        self.workspace.unlock()
        self.assertEqual(os.pread(read, 100, 0), b"of the organisation")
        self.assertEqual((self.directory / "written").read_bytes(), b"not stored yet")

    def test_what_there_was_no_time_to_store_is_named(self):
        """Twenty files by their names, and how many more."""
        files = {name: self.opened(name) for name in map(str, range(200))}
        with Client(self.workspace.socket) as client:
            client.call("Workspace.Status")
            with injecting(self.workspace.daemon(), "pwrite64", "delay_exit=300000"):
                for name, descriptor in files.items():
                    os.pwrite(descriptor, name.encode(), 0)
                answer = client.call("Workspace.Lock", account=ANN, now=True)
        named = len({each["path"] for each in answer["stragglers"]})
        log = self.workspace.daemon_log.read_text()
        more = sum(map(int, re.findall(r"and so are those of (\d+) other files?", log)))
        self.workspace.unlock()
        lost = sum((self.directory / name).read_bytes() != name.encode() for name in files)
        print(f"{named} named and {more} more, {lost} lost of {len(files)}")
        self.assertEqual(named, 20)
        self.assertGreater(lost, 0)
        self.assertLessEqual(lost, named + more)
