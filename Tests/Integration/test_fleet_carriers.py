"""What carries documents besides the engine: a web server, a directory."""
import http.server
import pathlib
import shutil
import ssl
import tempfile
import threading
import time
import typing
import unittest

from cryptography.hazmat.primitives.serialization import Encoding
from fleet_service import RULES, FleetService
from nats_engine import Authority
from running import PREFIX
from signing import Organization
from workspace import wait_until


class FileServer(http.server.ThreadingHTTPServer):
    """Serves a directory over TLS, with ETags; counts answers."""

    daemon_threads = True

    def __init__(self, directory, authority):
        self.directory, self.counts = pathlib.Path(directory), {}
        super().__init__(("127.0.0.1", 0), FileHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.server("web"))
        self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"https://localhost:{self.server_address[1]}/fleet"

    def handle_error(self, *_):
        pass


class FileHandler(http.server.BaseHTTPRequestHandler):
    server: typing.Any
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.server.directory / self.path.removeprefix("/fleet/")
        status, body, tag = 404, b"", None
        if self.path == "/fleet/time.json" and getattr(self.server, "redirects", False):
            status = 302
        elif path.is_file():
            body = path.read_bytes()
            tag = f'"{hash(body):x}"'
            status = 304 if self.headers["If-None-Match"] == tag else 200
        if status != 200:
            body = b""
        self.server.counts[status] = self.server.counts.get(status, 0) + 1
        # A connection that goes on sees no other certificate.
        self.close_connection = getattr(self.server, "closes", False)
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status == 302:
            self.send_header("Location", "/fleet/all.json")
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OtherCarriers(FleetService):
    def setUp(self):
        self.site = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.site, ignore_errors=True)
        super().setUp()

    def publish(self, directory, time_=True):
        """What `push` sends, as files."""
        client = self.engine.administrator()
        for subject, name in (
                ("docs.roots", "roots.json"), ("docs.all", "all.json"), ("docs.time", "time.json"),
                (f"docs.m.{self.machine}", f"m/{self.machine}.json")):
            path = directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(client.last("DOCS", subject) or b"[]")
        client.close()

    def enrol_with_web_server(self, authority):
        server = FileServer(self.site, authority)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.office.https = server.url
        self.enrol(service=False)
        self.publish(self.site)
        self.service.options = ("--interval", "2")
        return server

    def test_https(self):
        server = self.enrol_with_web_server(self.engine.authority)
        self.service.start()
        self.await_connected()
        wait_until(lambda: server.counts.get(304, 0) >= 4)
        self.assertEqual(server.counts[200], 4)
        # Without the engine.
        self.push_rule(True)
        self.publish(self.site)
        wait_until(lambda: self.rule())
        self.engine.kill()
        self.office.policy({**RULES, "printBlocked": False}, name="level.json")
        self.site.joinpath("all.json").write_bytes(
            b"[" + (self.office.path / "signed/all@level.json").read_bytes() + b"]")
        wait_until(lambda: self.rule() is False)
        # Over a restart nothing is got again.
        asked = server.counts.get(304, 0)
        wait_until(lambda: server.counts.get(304, 0) >= asked + 4)
        before = server.counts[200]
        self.service.kill()
        self.service.start()
        asked = server.counts.get(304, 0)
        wait_until(lambda: server.counts.get(304, 0) >= asked + 4)
        self.assertEqual(server.counts[200], before)

    def test_https_follows_no_redirect_and_reads_nothing_too_long(self):
        server = self.enrol_with_web_server(self.engine.authority)
        self.service.start()
        wait_until(lambda: server.counts.get(304, 0) >= 4)
        server.redirects = True
        wait_until(lambda: "the server answers 302" in self.service.text)
        server.redirects = False
        # A failure is told once, until something succeeds.
        asked = server.counts[304]
        wait_until(lambda: server.counts[304] >= asked + 8)
        (self.site / "all.json").write_bytes(b"[" + b" " * (5 << 20) + b"]")
        wait_until(lambda: "the file is too long" in self.service.text)
        self.assertIsNone(self.service.process.poll())

    def test_https_of_another_authority_is_not_believed(self):
        other = Authority(tempfile.mkdtemp(dir=self.place))
        server = self.enrol_with_web_server(other)
        self.push_rule(True)
        self.publish(self.site)
        self.engine.kill()
        self.service.start()
        wait_until(lambda: "the web server: roots: SSL" in self.service.text)
        self.assertEqual(server.counts, {})
        self.assertFalse(self.rule())
        # The certificate is all that was wrong.
        server.socket.context.load_cert_chain(*self.engine.authority.server("web"))
        wait_until(lambda: self.rule())

    def test_https_of_the_next_authority_is_believed_once_the_engine_has_told_it(self):
        server = self.enrol_with_web_server(self.engine.authority)
        server.closes, server.socket.context.num_tickets = True, 0
        self.service.start()
        self.await_connected()
        wait_until(lambda: server.counts.get(304, 0) >= 4)
        former, following = self.engine.authority, Authority(tempfile.mkdtemp(dir=self.place))
        name = following.certificate.subject
        link = former.sign(name, name, following.key.public_key(), isAuthority=True)
        client = self.engine.administrator()
        self.addCleanup(client.close)
        client.store(
            "docs.g.=authority", following.path.read_bytes() + link.public_bytes(Encoding.PEM))
        wait_until(lambda: "the servers' next authority is known" in self.service.text)
        self.push_rule(True)
        self.publish(self.site)
        self.engine.kill()
        server.socket.context.load_cert_chain(*following.server("web"))
        self.office.policy({**RULES, "printBlocked": False}, name="level.json")
        self.site.joinpath("all.json").write_bytes(
            b"[" + (self.office.path / "signed/all@level.json").read_bytes() + b"]")
        wait_until(lambda: self.rule() is False)
        self.assertNotIn("the web server: roots: SSL", self.service.text)

    def test_whoever_has_the_web_server(self):
        server = self.enrol_with_web_server(self.engine.authority)
        former = (self.site / "all.json").read_bytes()
        self.push_rule(True)
        self.publish(self.site)
        self.engine.kill()
        self.service.start()
        wait_until(lambda: self.rule())
        # All that is there has been read once, the time after the policy.
        asked = sum(server.counts.values())
        wait_until(lambda: sum(server.counts.values()) >= asked + 8)
        before = {document["slot"]: document["serial"] for document in self.show()["documents"]}
        forger = Organization()
        forger.id = self.office.organization.id
        loose = forger.policy({**RULES, "printBlocked": False}, serial=1 << 40)
        wipe = forger.order("wipe", self.machine, self.workspace.account()["id"])
        others = self.office.organization.order("lock", "1" * 32)
        for payload in (former, b"[" + loose + b"]", b"[" + wipe + b"]", b"[" + others + b"]",
                        b"[]", b"{}", b"no JSON"):
            for name in ("all.json", "time.json", "roots.json", f"m/{self.machine}.json"):
                (self.site / name).write_bytes(payload)
            # Each is read once, before the next one comes.
            read = server.counts[200]
            wait_until(lambda: server.counts[200] >= read + 4)
        self.assertTrue(self.rule())
        self.assertEqual(
            before, {document["slot"]: document["serial"] for document in self.show()["documents"]})
        self.assertIsNotNone(self.workspace.account())
        self.engine.start()
        self.push_rule(False)
        self.publish(self.site)
        wait_until(lambda: self.rule() is False)

    def test_a_directory(self):
        self.enrol(service=False)
        self.push_rule(True)
        self.engine.kill()
        self.service.options = ("--directory", str(self.site))
        self.service.start()
        time.sleep(1)
        self.assertFalse(self.rule())
        self.engine.start()
        self.publish(self.site)
        wait_until(lambda: self.rule())


if __name__ == "__main__":
    unittest.main()
