"""Questions about many files: one connection, and calls that do not wait for each other."""
import json
import re

from workspace import ANN, NOT_FOUND, WorkspaceCase

NEEDS = ("strace",)

COUNT = 100
# `VarlinkClient.batchCount`
BATCHES = 4


class ManyFiles(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.files = [self.directory / f"file-{number}" for number in range(COUNT)]
        for file in self.files:
            file.write_bytes(b"x")

    def calls(self, files, *verb, names=("connect", "sendmsg", "recvmsg")):
        """The system calls of mamctl by these names, in order: those that concern sockets."""
        log = self.workspace.root / f"{self._testMethodName}.calls"
        self.workspace.ctl(
            *verb, *files, prefix=(
                "strace", "-qq", "-f", "-o", log, "-e", f"trace={','.join(names)}"))
        return re.findall(rf"({'|'.join(names)})\(", log.read_text())

    def assert_batched(self, *verb, questions=1):
        """So many about each file, in batches."""
        alone = self.calls(self.files[:1], *verb)
        calls = self.calls(self.files, *verb)
        # Looking for the socket connects, too.
        self.assertEqual(calls.count("connect"), alone.count("connect"))
        self.assertEqual(calls.count("sendmsg"), questions * COUNT)
        waits = sum(pair == ("sendmsg", "recvmsg") for pair in zip(calls, calls[1:]))
        self.assertEqual(waits, questions * BATCHES)

    def test_owner(self):
        self.assert_batched("owner")

    def test_is_encrypted(self):
        self.assert_batched("is-encrypted")

    def test_class(self):
        self.assert_batched("class")

    def test_info_as_json(self):
        self.assert_batched("info", "--json", questions=2)

    def test_info_asks_for_what_a_file_is_and_whether_it_is_refused(self):
        self.assert_batched("info", questions=2)

    def test_info_reads_what_has_room_for_a_header_and_nothing_else(self):
        names = ("openat", "pread64", "fgetxattr")

        def requests(count):
            calls = self.calls(self.files[:count], "info", names=names)
            return [calls.count(name) for name in names]

        one, few = requests(1), requests(11)
        # A descriptor for the question, and its mount's id from /proc.
        self.assertEqual([more - less for more, less in zip(few, one)], [20, 0, 0])
        for file in self.files[1:11]:
            file.write_bytes(b"x" * 36)
        opened, read, asked = (more - less for more, less in zip(requests(11), one))
        self.assertEqual((opened, asked), (30, 0))
        self.assertGreaterEqual(read, 10)

    def test_answers_come_in_the_order_of_the_files(self):
        outside = self.workspace.root / "outside"
        outside.write_bytes(b"plain")
        missing = self.directory / "missing"
        asked = [*self.files[:40], missing, outside, *self.files[40:]]
        answers = json.loads(
            self.workspace.ctl("info", "--json", *asked, status=NOT_FOUND).stdout)
        self.assertEqual([answer["path"] for answer in answers], [str(file) for file in asked])
        self.assertIn("error", answers[40])
        self.assertEqual(answers[41]["state"], "foreign")
        self.assertEqual({answer["owner"] for answer in answers[:40] + answers[42:]}, {ANN})
