"""What one user may use up of the daemon that others need too; and what a lock says when nothing is
left."""
import contextlib
import errno
import json
import os
import resource
import threading
import time
import unittest

from socket_client import Client
from workspace import ANN, WorkspaceCase, pattern

# What the daemon may have more for all programs that look for holes: the threads for requests, of
# which some run already, and four; with the descriptors of all these. Through io_uring, where those
# for requests are all there, 32 more that wait for them, each with a descriptor of its own.
THREADS, DESCRIPTORS = {"device": 10 + 4, "io_uring": 32 + 4}, 40
FILES = 300


class Exhaustion(WorkspaceCase):
    settings = {"LockGraceSeconds": 0, "LockDeadlineSeconds": 8}

    def setUp(self):
        super().setUp()
        self.pid = self.workspace.daemon()

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @unittest.skipUnless(os.getuid() == 0, "counts the daemon's descriptors, which only root may")
    def test_many_who_look_for_holes(self):
        stop, found, failures = threading.Event(), [], []

        def ask(number):
            """EINVAL is what a file system says that knows no holes."""
            while not stop.is_set():
                try:
                    found.append(os.lseek(files[number], 0, os.SEEK_HOLE))
                except OSError as problem:
                    if problem.errno != errno.EINVAL:
                        failures.append(problem)

        with contextlib.ExitStack() as opened:
            files = []
            for number in range(FILES):
                file = opened.enter_context(open(self.directory / str(number), "w+b", buffering=0))
                file.write(b"content")
                files.append(file.fileno())
            threads, descriptors = self.threads(), self.descriptors()
            self.assertGreater(descriptors, FILES)
            askers = [
                threading.Thread(target=ask, args=(number,), daemon=True)
                for number in range(FILES)]
            for asker in askers:
                asker.start()
            most, end = (0, 0), time.monotonic() + 3
            made = 0
            while time.monotonic() < end:
                most = tuple(map(max, most, (self.threads(), self.descriptors())))
                (self.directory / f"other-{made}").write_bytes(b"by another")
                made += 1
            stop.set()
            for asker in askers:
                asker.join(60)
            self.assertFalse(any(asker.is_alive() for asker in askers))
        self.assertEqual(failures, [])
        self.assertEqual(set(found), {7})
        transport = self.workspace.status()["transport"]
        # The new files cost a descriptor each.
        self.assertLessEqual(most[0], threads + THREADS[transport])
        self.assertLessEqual(most[1], descriptors + made + DESCRIPTORS)
        print(
            f"{len(found)} answers; {most[0] - threads} threads and {made} files more", flush=True)

    @contextlib.contextmanager
    def no_descriptor_left(self):
        before = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        # The lowest free number is not below that.
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            yield lambda: resource.prlimit(self.pid, resource.RLIMIT_NOFILE, before)
        finally:
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, before)

    @contextlib.contextmanager
    def connected_with_a_file_in_use(self):
        path = self.write(self.directory / "held", pattern(100_000))
        with open(path, "rb") as held, Client(self.workspace.socket) as client:
            held.read()
            # It has been taken once it is served.
            client.call("Workspace.Status")
            try:
                yield path, client
            finally:
                self.workspace.unlock()

    def test_a_lock_without_descriptors_names_what_it_could_not_see(self):
        with self.connected_with_a_file_in_use() as (path, client), self.no_descriptor_left():
            answer = client.ask("Workspace.Lock", account=ANN, now=True)
        self.assertIn(path.name, json.dumps(answer))

    def test_a_lock_waits_for_a_descriptor(self):
        with self.connected_with_a_file_in_use() as (
                path, client), self.no_descriptor_left() as give_back:
            client.send("Workspace.Lock", account=ANN, now=True)
            time.sleep(1)
            give_back()
            answer = client.receive()
        self.assertNotIn(path.name, json.dumps(answer))
        self.assertNotIn("error", answer)
