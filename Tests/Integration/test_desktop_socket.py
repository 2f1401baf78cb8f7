"""The desktop's varlink client against daemons that say anything: it neither waits nor fails."""
import contextlib
import os
import pathlib
import shutil
import socket
import sys
import tempfile
import threading
import unittest

import desktop_session
from running import PREFIX
from workspace import ROOT

NEEDS = ("python3-gi",)

sys.path.insert(0, str(ROOT / "desktop"))
GOOD = b'{"parameters":{"n":1}}\0'
HANG_UP = None


class Daemon:
    """Answers each frame with the next of `answers`."""

    def __init__(self, answers):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.path = self.place / "s"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.answers, self.passed = answers, []
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        client, _ = self.listener.accept()
        with client, contextlib.suppress(OSError):
            frames = b""
            for answer in self.answers:
                while b"\0" not in frames:
                    data, descriptors, _flags, _peer = socket.recv_fds(client, 65536, 4)
                    frames += data
                    for each in descriptors:
                        self.passed.append(os.read(each, 100))
                        os.close(each)
                    if not data:
                        return
                _, _, frames = frames.partition(b"\0")
                if answer is HANG_UP:
                    return
                client.sendall(answer)
            # Until it hangs up.
            while client.recv(65536):
                pass

    def close(self):
        self.listener.close()
        shutil.rmtree(self.place, ignore_errors=True)


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class Client(unittest.TestCase):
    def talk(self, answers, calls=1, **options):
        """What came back: parameters, names of errors, and `closed`."""
        from gi.repository import GLib

        from mamd_desktop.varlink import Connection

        daemon = Daemon(answers)
        self.addCleanup(daemon.close)
        loop, heard = GLib.MainLoop(), []

        def note(what):
            heard.append(what)
            if what == "closed" or len(heard) == options.get("wanted", calls):
                GLib.timeout_add(50, loop.quit)

        connection = Connection(daemon.path, lambda: note("closed"))
        for _ in range(calls):
            connection.call(
                "a.b.C", {}, note, lambda error: note(error.name),
                options.get("descriptors", ()), options.get("more", False))
        GLib.timeout_add_seconds(60, loop.quit)
        loop.run()
        connection.close()
        self.daemon = daemon
        return heard

    def test_answers_in_order(self):
        second = b'{"error":"io.mamd.Workspace.Refused","parameters":{"reason":"no"}}\0'
        self.assertEqual(self.talk([GOOD, second], 2), [{"n": 1}, "Refused"])

    def test_a_frame_in_pieces_and_two_in_one(self):
        self.assertEqual(
            self.talk([b'{"param', b'eters":{"n":1}}\0' + GOOD, b""], 2), [{"n": 1}, {"n": 1}])

    def test_a_stream(self):
        part = b'{"continues":true,"parameters":{"n":0}}\0'
        self.assertEqual(
            self.talk([part * 2 + GOOD], more=True, wanted=3), [{"n": 0}, {"n": 0}, {"n": 1}])

    def test_what_is_no_reply(self):
        for bad in (b"nonsense\0", b"[]\0", b"\xff\xfe\0", b"1\0", b"\0", GOOD * 2):
            heard = self.talk([bad], wanted=9)
            self.assertEqual(heard[-1], "closed", bad)

    def test_a_frame_without_end(self):
        from mamd_desktop import varlink

        self.assertEqual(self.talk([b"x" * (varlink.FRAME_LIMIT + 2)], wanted=9), ["", "closed"])

    def test_it_hangs_up(self):
        self.assertEqual(self.talk([GOOD, HANG_UP], 3, wanted=9), [{"n": 1}, "", "", "closed"])

    def test_a_descriptor_arrives(self):
        reader, writer = os.pipe()
        os.write(writer, b"secret")
        os.close(writer)
        self.assertEqual(self.talk([GOOD], descriptors=[reader]), [{"n": 1}])
        os.close(reader)
        self.assertEqual(self.daemon.passed, [b"secret"])

    def test_nobody_listens(self):
        from mamd_desktop.varlink import Connection

        with self.assertRaises(OSError):
            Connection(pathlib.Path("/nonexistent"))

    @unittest.skipUnless(os.getuid() == 0, "somebody else has to listen")
    def test_somebody_else_listens(self):
        from mamd_desktop import varlink

        os.seteuid(4711)
        try:
            daemon = Daemon([GOOD])
            os.seteuid(0)
            for place in (daemon.place, daemon.path):
                place.chmod(0o777)
            os.seteuid(4712)
            with self.assertRaises(PermissionError):
                varlink.connected(daemon.path)
        finally:
            os.seteuid(0)
            daemon.close()


if __name__ == "__main__":
    unittest.main()
