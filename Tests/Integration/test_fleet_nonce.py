"""A signature that begins with a zero byte, which libnats 3.4 does not send: mamfleet asks for
another nonce to sign."""
import json
import os
import pathlib
import shutil
import socket
import ssl
import tempfile
import threading
import unittest

from fleet_office import Office
from nats_engine import Engine, base64url, credentials
from running import PREFIX


class NonceServer:
    """Speaks as a nats-server does to one client at a time; it has no stream. Chooses for its
    first `zeros` connections a nonce whose signature by `key` begins with a zero byte."""

    def __init__(self, engine, key, zeros):
        self.key, self.zeros = key, zeros
        #: Of each connection: the first byte of the signature, and whether it came.
        self.seen = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(engine.certificate, engine.key)
        self.listener = socket.create_server(("127.0.0.1", engine.port))
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.listener.close()

    def serve(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            with raw:
                try:
                    self.talk(raw)
                except (OSError, ssl.SSLError):
                    pass  # the client has gone

    def nonce(self):
        isZero = len(self.seen) < self.zeros
        while True:
            nonce = base64url(os.urandom(11)).encode()
            signature = self.key.signature(nonce)
            if (signature[0] == 0) is isZero:
                return nonce, signature

    def talk(self, raw):
        nonce, signature = self.nonce()
        self.seen.append([signature[0], False])
        raw.sendall(b"INFO " + json.dumps({
            "server_id": "N", "version": "2.10.0", "proto": 1, "headers": True,
            "max_payload": 1 << 20, "tls_required": True, "auth_required": True,
            "nonce": nonce.decode()}).encode() + b"\r\n")
        with self.context.wrap_socket(raw, server_side=True) as client:
            lines = client.makefile("rb")
            words = lines.readline().split(b" ", 1)
            if words[0] != b"CONNECT":
                return
            if json.loads(words[1]).get("sig") != base64url(signature):
                client.sendall(b"-ERR 'Authorization Violation'\r\n")
                return
            self.seen[-1][1] = True
            self.answer(client, lines)

    def answer(self, client, lines):
        """Whatever is asked, nobody is there to answer."""
        inboxes = {}
        for line in lines:
            words = line.decode().split()
            if words[0] == "PING":
                client.sendall(b"PONG\r\n")
            elif words[0] == "SUB":
                inboxes[words[1].removesuffix("*")] = words[-1]
            elif words[0] in ("PUB", "HPUB"):
                lines.read(int(words[-1]) + 2)
                self.refuse(client, words[2], inboxes)

    def refuse(self, client, reply, inboxes):
        for inbox, number in inboxes.items():
            if reply.startswith(inbox):
                head = b"NATS/1.0 503\r\n\r\n"
                client.sendall(
                    f"HMSG {reply} {number} {len(head)} {len(head)}\r\n".encode() + head + b"\r\n")


class Nonce(unittest.TestCase):
    def setUp(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, place)
        self.engine = Engine(place / "server")
        self.office = Office(place / "office", self.engine)

    def pull(self, zeros):
        """What mamfleet says, and what the server has seen."""
        jwt, key = self.engine.user("admin")
        self.office.secret("engine/admin.creds", credentials(jwt, key))
        server = NonceServer(self.engine, key, zeros)
        self.addCleanup(server.close)
        done = self.office.run("pull", status=None)
        return done.stdout + done.stderr, server.seen

    def test_another_nonce_is_asked_for(self):
        said, seen = self.pull(zeros=3)
        self.assertNotIn("refuses", said)
        self.assertIn("no such stream", said)
        self.assertEqual([isSent for _, isSent in seen], [False] * 3 + [True])
        self.assertEqual([first for first, _ in seen[:3]], [0] * 3)

    def test_an_ordinary_one_is_sent_at_once(self):
        said, seen = self.pull(zeros=0)
        self.assertIn("no such stream", said)
        self.assertEqual([isSent for _, isSent in seen], [True])


if __name__ == "__main__":
    unittest.main()
