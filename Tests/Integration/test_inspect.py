"""`Inspect` of the socket: what it says of several files in one reply."""
import errno
import os
import unittest

from ordinary_user import NOBODY
from socket_client import Client
from workspace import ANN, WorkspaceCase


class Inspect(WorkspaceCase):
    def setUp(self):
        super().setUp()
        plain = self.write(self.workspace.root / f"{self._testMethodName}.plain", b"content" * 20)
        stream = plain.with_suffix(".stream")
        self.workspace.serving("data protect", plain, "--owner", ANN, "-o", stream)
        self.files = [self.write(self.directory / f"file-{number}", b"x" * 5000)
                      for number in range(4)]
        self.holder = self.write(self.directory / "holder", stream.read_bytes())
        self.client = Client(self.workspace.socket)
        self.addCleanup(self.client.close)

    def inspect(self, *paths, **parameters):
        descriptors = [os.open(path, os.O_PATH) for path in paths]
        try:
            return self.client.call(
                "Workspace.Inspect", descriptors, fileDescriptors=list(range(len(paths))),
                **parameters)["files"]
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def holds(self, *paths, act="read"):
        self.workspace.await_closed()
        return [answer["holds"] for answer in self.inspect(*paths, act=act, content=True)]

    def test_files_that_are_alike_are_told_once_where_asked(self):
        paths = [*self.files[:3], self.directory, self.files[3]]
        full, brief = self.inspect(*paths), self.inspect(*paths, brief=True)
        self.assertEqual([answer["count"] for answer in full], [None] * 5)
        self.assertEqual([answer["count"] for answer in brief], [3, None, None])
        places = (0, 3, 4)
        self.assertEqual(
            [answer["protection"] for answer in brief],
            [full[place]["protection"] for place in places])

    def test_what_a_file_holds(self):
        small = self.write(self.directory / "small", b"x")
        self.assertEqual(
            self.holds(self.files[0], self.holder, small, self.directory),
            [False, True, False, None])
        self.assertEqual(self.inspect(self.holder, act="read")[0]["holds"], None)
        self.assertEqual(self.holds(self.holder, act="write"), [None])

    def test_it_is_told_to_the_owner_who_may_read_it(self):
        self.holder.chmod(0o200)
        self.assertEqual(self.holds(self.holder), [None])
        self.holder.chmod(0o400)
        self.assertEqual(self.holds(self.holder), [True])

    @unittest.skipUnless(os.getuid() == 0, "gives files to others, which only root can")
    def test_it_is_not_told_to_others(self):
        os.chown(self.holder, NOBODY, NOBODY)
        self.assertEqual(self.holds(self.holder), [None])

    def test_what_is_being_written_is_not_told(self):
        with open(self.holder, "r+b"):
            answer, = self.inspect(self.holder, act="read", content=True)
        self.assertIsNone(answer["holds"])

    def test_what_is_closed_is_not_read(self):
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        answer, = self.inspect(self.holder, act="read", content=True)
        self.assertIsNone(answer["holds"])
        self.assertEqual(answer["refusal"]["errno"], errno.ENOKEY)


if __name__ == "__main__":
    unittest.main()
