"""The socket: bounded frames, clients that misbehave, and a client that we did not write."""
import base64
import contextlib
import os
import pathlib
import socket
import subprocess
import threading
import unittest

from ordinary_user import NOBODY
from running import daemons
from socket_client import Client
from workspace import ANN, ROOT, WorkspaceCase, wait_until

NEEDS = ("varlink==31.0.0",)

CLIENT = pathlib.Path(__file__).with_name("pypi_varlink.py")
PYPI = pathlib.Path(os.environ.get("MAMD_PYTHON", ROOT / ".build" / "python"))


class Socket(WorkspaceCase):
    def connect(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        return client

    def call(self, method, **parameters):
        return self.connect().ask(method, **parameters)

    def resident_kib(self):
        pid = next(daemons(str(self.workspace.root)))
        for line in open(f"/proc/{pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    def still_serves(self):
        self.assertEqual(self.call("io.mamd.Workspace.Status")["parameters"]["name"], "work")

    def test_introspection(self):
        info = self.call("org.varlink.service.GetInfo")["parameters"]
        self.assertIn("io.mamd.Workspace", info["interfaces"])
        self.assertIn("org.varlink.service", info["interfaces"])
        described = self.call(
            "org.varlink.service.GetInterfaceDescription", interface="io.mamd.Workspace")[
                "parameters"]["description"]
        stored = (ROOT / "docs" / "io.mamd.Workspace.varlink").read_text() if ROOT.joinpath(
            "docs").exists() else described
        self.assertEqual(described.strip(), stored.strip())

    def test_status_and_protection(self):
        path = self.write(self.directory / "file", b"x")
        status = self.call("io.mamd.Workspace.Status")["parameters"]
        self.assertEqual(pathlib.Path(status["mountPoint"]), self.workspace.mount_point)
        self.assertEqual([account["name"] for account in status["accounts"]], [ANN])
        by_path = self.call("io.mamd.Workspace.ProtectionInfo", path=str(path))["parameters"][
            "protection"]
        number = path.stat()
        by_number = self.call(
            "io.mamd.Workspace.ProtectionInfo", device=number.st_dev, inode=number.st_ino)[
                "parameters"]["protection"]
        self.assertEqual(by_path, by_number)
        self.assertEqual(
            (by_path["owner"], by_path["managed"], by_path["state"]), (ANN, True, "available"))

    def test_protection_by_descriptor(self):
        path = self.write(self.directory / "file", b"x")
        client = self.connect()
        with open(path, "rb") as file:
            answer = client.call("Workspace.ProtectionInfo", [file.fileno()], fileDescriptor=0)
        self.assertEqual(answer["protection"]["owner"], ANN)

    def test_errors_name_what_is_wrong(self):
        for method, parameters, error in (
            ("io.mamd.Workspace.NoSuchMethod", {}, "org.varlink.service.MethodNotFound"),
            ("io.nowhere.Interface.Method", {}, "org.varlink.service.InterfaceNotFound"),
            ("io.mamd.Workspace.Lock", {"account": 7}, "org.varlink.service.InvalidParameter"),
            ("io.mamd.Workspace.Lock", {"account": "no@body"}, "io.mamd.Workspace.UnknownAccount"),
        ):
            with self.subTest(method=method):
                self.assertEqual(self.call(method, **parameters)["error"], error)

    def test_what_helps_stands_beside_the_reason(self):
        path = self.write(self.directory / "file", b"x")
        sealed = base64.b64encode(self.backing_of(path).read_bytes()).decode()
        refused = self.call("io.mamd.Protection.UnprotectString", text=sealed)
        self.assertEqual(refused["error"], "io.mamd.Protection.DataFailed")
        self.assertEqual(
            (refused["parameters"]["reason"], refused["parameters"]["next"]),
            ("it is a protected file, not read from front to back", "mamctl decrypt FILE"))
        unmanaged = self.call("io.mamd.Workspace.Encrypt", owner="no@body")["parameters"]
        self.assertIsNone(unmanaged["next"])

    def test_a_watch_that_takes_one_reply_only_is_refused(self):
        answer = self.call("io.mamd.Workspace.Watch")
        self.assertEqual(answer["error"], "org.varlink.service.ExpectedMore")

    def test_several_calls_on_one_connection_are_answered_in_order(self):
        client = self.connect()
        request = (
            b'{"method":"org.varlink.service.GetInfo"}\0'
            b'{"method":"io.mamd.Workspace.ListAccounts"}\0')
        for byte in request:  # one byte at a time: frames have no edges on the wire
            client.socket.sendall(bytes([byte]))
        self.assertIn("vendor", client.receive()["parameters"])
        self.assertIn("accounts", client.receive()["parameters"])

    def test_a_frame_of_100_megabytes_is_refused_and_costs_no_memory(self):
        before = self.resident_kib()
        client = self.connect().socket
        sent = 0
        try:
            while sent < 100 << 20:
                sent += client.send(b" " * (1 << 20))
        except (ConnectionError, TimeoutError):
            pass
        self.assertLess(sent, 64 << 20, "the daemon read all of it")
        self.assertLess(self.resident_kib() - before, 64 << 10)
        self.still_serves()

    def test_garbage_ends_its_connection_and_nothing_else(self):
        for garbage in (
            b"\0", b"\0" * 1000, b"garbage\0", b"[]\0", b"7\0", b"{}\0", b'{"method":7}\0',
            b'{"method":""}\0',
            b'{"method":"a.b.C","parameters":[]}\0', b"\xff\xfe\0", b"[" * 100_000 + b"\0",
            b'{"method":"' + b"x" * 100_000 + b'"}\0', os.urandom(50_000) + b"\0",
            b'{"method":"org.varlink.service.GetInfo","parameters":{"a":' + b"1" * 1000 + b"}}\0",
        ):
            with self.subTest(garbage=garbage[:30]):
                client = self.connect()
                with contextlib.suppress(ConnectionError):
                    client.socket.sendall(garbage)
                    client.socket.shutdown(socket.SHUT_WR)
                    reply = client.receive()
                    self.assertTrue("error" in reply or "parameters" in reply, reply)
                self.still_serves()

    def test_a_silent_client_blocks_nobody(self):
        silent = [self.connect() for _ in range(8)]
        for number, client in enumerate(silent):
            client.socket.sendall(b'{"method":"io.mamd.Work'[: number * 3])
        self.still_serves()
        self.workspace.serving("status")

    def test_a_client_that_does_not_read_blocks_nobody(self):
        deaf = self.connect().socket
        deaf.setblocking(False)
        request = (
            b'{"method":"org.varlink.service.GetInterfaceDescription",'
            b'"parameters":{"interface":"io.mamd.Workspace"}}\0')
        sent = 0
        try:
            while sent < 16 << 20:
                sent += deaf.send(request * 100)
        except (BlockingIOError, ConnectionError):
            pass
        self.still_serves()
        self.write(self.directory / "file", b"x")

    def test_many_clients_at_once(self):
        failures = []

        def ask():
            try:
                for _ in range(20):
                    self.still_serves()
            except Exception as problem:
                failures.append(problem)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_mount_serves_while_clients_come_and_go(self):
        done = threading.Event()

        def churn():
            while not done.is_set():
                # Of one user's connections only so many are taken.
                with contextlib.suppress(OSError), Client(self.workspace.socket) as client:
                    client.socket.send(b"{")

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            for number in range(200):
                self.write(self.directory / str(number), b"x" * 5_000)
        finally:
            done.set()
            thread.join()
        # Those that have just gone may still be counted.
        wait_until(self.is_served)
        self.still_serves()

    def is_served(self):
        """One too many is hung up on."""
        with contextlib.suppress(OSError):
            self.still_serves()
            return True
        return False

    def test_the_socket_is_for_its_user_alone(self):
        self.assertEqual(self.workspace.socket.parent.stat().st_mode & 0o077, 0)

    @unittest.skipUnless(os.getuid() == 0, "needs another user")
    def test_another_user_can_not_lock(self):
        for path in (
                self.workspace.root, self.workspace.socket.parent.parent,
                self.workspace.socket.parent):
            path.chmod(0o711)
        self.addCleanup(self.workspace.socket.parent.chmod, 0o700)
        with Client(self.workspace.socket, NOBODY) as client:
            client.call("Workspace.Lock", now=True)
            answer = client.ask("Workspace.Lock", account=ANN, now=True)
        self.assertEqual(answer.get("error"), "io.mamd.Workspace.Refused")
        self.assertEqual(self.workspace.account()["state"], "unlocked")

    @unittest.skipUnless(PYPI.is_dir(), "PyPI's varlink is not installed: scripts/setup --tests")
    def test_a_client_that_we_did_not_write(self):
        self.write(self.directory / "file", b"x")
        result = subprocess.run(
            ["/usr/bin/python3", "-B", CLIENT, self.workspace.socket], capture_output=True,
            text=True, timeout=60,
            env={**self.workspace.environment, "PYTHONPATH": str(PYPI)})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
