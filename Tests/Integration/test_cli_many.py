"""Questions about many files: one connection, and calls that do not wait for each other."""
import collections
import json
import os
import re
import socket
import threading

from workspace import ANN, NOT_FOUND, WorkspaceCase

NEEDS = ("strace",)

COUNT = 100
# `VarlinkClient.batchCount`
BATCHES = 4
# Of at most eight files: three batches of 32, and one of 4.
MESSAGES = 13


class EarlierDaemon:
    """Stands at the daemon's socket, and knows no `Inspect`."""

    def __init__(self, workspace):
        self.path = workspace.socket
        self.lasting = workspace.state.with_suffix(".sock")
        self.real, self.hidden = (
            path.with_suffix(".real") for path in (self.path, self.lasting))
        self.calls = collections.Counter()

    def __enter__(self):
        self.path.rename(self.real)
        self.lasting.rename(self.hidden)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        self.real.replace(self.path)
        self.hidden.rename(self.lasting)

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.socket(socket.AF_UNIX) as daemon:
                daemon.connect(str(self.real))
                self.pass_on(client, daemon)

    def pass_on(self, client, daemon):
        """Each read is one frame: each comes with a descriptor."""
        while True:
            frame, descriptors, _, _ = socket.recv_fds(client, 65536, 8)
            if not frame:
                return
            method = json.loads(frame.rstrip(b"\0"))["method"].rsplit(".", 1)[1]
            self.calls[method] += 1
            if method == "Inspect":
                answer = json.dumps({
                    "error": "org.varlink.service.MethodNotFound",
                    "parameters": {"method": method}}).encode() + b"\0"
            else:
                socket.send_fds(daemon, [frame], descriptors)
                answer = b""
                while not answer.endswith(b"\0"):
                    answer += daemon.recv(65536)
            for descriptor in descriptors:
                os.close(descriptor)
            client.sendall(answer)


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

    def assert_batched(self, *verb):
        """All that is asked about eight files is one message, and batches are waited for. Each is
        after the next one was sent: its replies may be there with those of the one before."""
        alone = self.calls(self.files[:1], *verb)
        calls = self.calls(self.files, *verb)
        # Looking for the socket connects, too.
        self.assertEqual(calls.count("connect"), alone.count("connect"))
        self.assertEqual(calls.count("sendmsg"), MESSAGES)
        waits = sum(pair == ("sendmsg", "recvmsg") for pair in zip(calls, calls[1:]))
        self.assertLess(waits, BATCHES)

    def test_owner(self):
        self.assert_batched("owner")

    def test_is_encrypted(self):
        self.assert_batched("is-encrypted")

    def test_class(self):
        self.assert_batched("class")

    def test_info_as_json(self):
        self.assert_batched("info", "--json")

    def test_info_which_asks_also_whether_a_file_is_refused(self):
        self.assert_batched("info")

    def test_an_earlier_daemon_is_asked_one_by_one(self):
        asked = [*self.files[:40], self.directory]
        expected = self.workspace.ctl("info", "--json", *asked).stdout
        with EarlierDaemon(self.workspace) as daemon:
            self.assertEqual(self.workspace.ctl("info", "--json", *asked).stdout, expected)
        self.assertEqual(daemon.calls["ProtectionInfo"], len(asked))
        self.assertEqual(daemon.calls["WhyRefused"], len(asked))

    def test_info_opens_what_holds_protected_data_alone(self):
        names = ("openat", "pread64", "fgetxattr")

        def requests(count):
            calls = self.calls(self.files[:count], "info", names=names)
            return [calls.count(name) for name in names]

        for file in self.files[:11]:
            file.write_bytes(b"x" * 5000)
        self.workspace.await_closed()
        one, few = requests(1), requests(11)
        # A descriptor for the question.
        self.assertEqual([more - less for more, less in zip(few, one)], [10, 0, 0])
        protected = self.workspace.root / "protected"
        self.workspace.serving("data protect", self.files[0], "--owner", ANN, "-o", protected)
        for file in self.files[1:3]:
            file.write_bytes(protected.read_bytes())
        self.workspace.await_closed()
        opened, read, asked = (more - less for more, less in zip(requests(11), one))
        self.assertEqual((opened, asked), (12, 0))
        self.assertGreaterEqual(read, 2)

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
