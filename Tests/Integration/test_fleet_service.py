"""The fleet's service with a real nats-server: from a code to a policy in force, and back."""
import base64
import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from fleet_office import Office
from nats_engine import Authority, Engine
from signing import DAY, Organization
from workspace import ANN, DONE, PREFIX, REFUSED, SETTINGS, Workspace, wait_until

RULES = {"displayName": "Signed", "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False}
UNREACHABLE, USAGE = 8, 2


class Service:
    """`mamfleet run` of a workspace."""

    def __init__(self, workspace, *options, environment=None):
        self.workspace, self.options = workspace, options
        self.environment = environment or workspace.environment
        self.log = workspace.root / "mamfleet.log"
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["mamfleet", "run", self.workspace.name, *self.options], stdout=log, stderr=log,
                env=self.environment)
        return self

    def kill(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(20)
            self.process = None

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    @property
    def state(self):
        return self.workspace.root / "state_home" / "mamfleet" / self.workspace.name

    def memory(self):
        """In MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


class FleetService(unittest.TestCase):
    """Each test has an engine, an organisation and a machine of its own."""

    settings = {**SETTINGS, "LockGraceSeconds": 0}
    https = None

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.engine = Engine(self.place / "server").start()
        self.addCleanup(self.engine.kill)
        self.office = Office(self.place / "office", self.engine, self.https)
        self.office.policy(RULES)
        self.office.time()
        self.office.push()
        self.workspace = Workspace(settings=self.settings)
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before and hasattr(self, "service"):
            with contextlib.suppress(OSError):
                print(f"--- mamfleet's log of {self.id()}:\n{self.service.text[-3000:]}")

    def join(self, code, *options, status=DONE, workspace=None):
        workspace = workspace or self.workspace
        done = subprocess.run(
            ["mamfleet", "join", "-", "--workspace", workspace.name, "--wait", "1", *options],
            input=code, capture_output=True, text=True, timeout=90, env=workspace.environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def enrol(self, service=True):
        """From a code to a machine that is connected."""
        self.invitation, self.code = self.office.invite()
        told = json.loads(self.join(self.code, "--json").stdout)
        self.assertEqual(told["state"], "pending")
        self.office.pull()
        self.machine = self.office.admit(self.invitation)
        self.assertEqual(self.machine, told["machine"])
        self.office.push()
        if service:
            self.service.start()
            self.await_connected()

    def await_connected(self, count=1, seconds=30):
        wait_until(lambda: self.service.text.count("connected as machine") >= count, seconds)

    def show(self):
        return json.loads(
            self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def rule(self, name="printBlocked"):
        rules = json.loads(
            self.workspace.serving("policy show", ANN, "--json").stdout)["rules"]
        return rules.get(name, {}).get("value")

    def is_readable(self):
        try:
            return self.file.read_bytes() == b"content"
        except OSError:
            return False

    def push_rule(self, value):
        self.office.policy({**RULES, "printBlocked": value})
        self.office.time()
        self.office.push()

    def serial(self, slot="policy/all/level.json"):
        found = [document["serial"] for document in self.show()["documents"]
                 if document["slot"] == slot]
        return found[0] if found else None


class Enrolment(FleetService):
    def test_from_a_code_to_a_policy_and_an_order(self):
        self.enrol()
        wait_until(lambda: self.show()["problem"] is None)
        # A push, to what is in force.
        for value in (True, False, True):
            self.office.policy({**RULES, "printBlocked": value})
            self.office.time()
            self.office.push()
            start = time.monotonic()
            wait_until(lambda: self.rule() == value)
            print(f"policy in force {1000 * (time.monotonic() - start):.0f} ms after the push")
        wait_until(lambda: self.show()["problem"] is None)
        # A lock, and a wipe.
        self.assertTrue(self.is_readable())
        self.office.order("lock", self.machine)
        self.office.push()
        start = time.monotonic()
        wait_until(lambda: not self.is_readable())
        print(f"locked {1000 * (time.monotonic() - start):.0f} ms after the push")
        account = self.workspace.account()["id"]
        self.office.order("wipe", self.machine, account)
        self.office.push()
        start = time.monotonic()
        wait_until(lambda: not json.loads(
            self.workspace.serving("account list", "--json").stdout), message="not wiped")
        print(f"wiped {1000 * (time.monotonic() - start):.0f} ms after the push")

    def test_reports_come_back(self):
        key = self.workspace.root / "org.key"
        public = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", key, "--no-passphrase").stdout)["publicKey"]
        self.office.policy({**RULES, "mamdRecoveryPublicKey": public})
        self.office.push()
        self.enrol()

        def reported():
            self.office.pull()
            return self.machine in self.office.reports("status")

        wait_until(reported, 30)
        (status,) = self.office.reports("status")[self.machine]
        self.assertEqual(status["machine"], self.machine)
        self.assertIn("policy/all/level.json", status["documents"])
        (audit,) = [self.office.reports("audit")[self.machine]]
        self.assertTrue(any(
            record["event"] == "joined" for batch in audit for record in batch["records"]))
        account = self.workspace.account()["id"]
        self.workspace.unlock()

        def has_record():
            self.office.pull()
            return account in self.office.reports("records")

        wait_until(has_record, 30)
        (record,) = self.office.reports("records")[account]
        self.assertEqual((record["machine"], record["account"]), (self.machine, account))
        # The invitation is of no use any more, and is not kept.
        wait_until(lambda: not (self.service.state / "invitation.nk").exists())

    def test_groups(self):
        self.enrol()
        self.office.policy({**RULES, "printBlocked": True}, "lab.json", audience="group:l.ab")
        self.office.push()
        self.assertFalse(self.rule())
        self.office.membership(self.machine, "l.ab")
        self.office.push()
        wait_until(lambda: self.rule(), 30)

    def test_an_administrator_who_is_slow(self):
        self.invitation, code = self.office.invite()
        self.assertIn("has not let it in yet", self.join(code).stdout)
        self.service.start()
        wait_until(lambda: "waits for the organisation" in self.service.text, 20)
        self.office.pull()
        self.machine = self.office.admit(self.invitation)
        self.office.push()
        self.await_connected()

    def test_by_mamctl(self):
        _, code = self.office.invite()
        told = self.workspace.serving("fleet join", code, "--json").stdout
        self.assertEqual(json.loads(told)["state"], "pending")
        # Once more is no mistake, and asks for nothing new.
        again = self.workspace.serving("fleet join", "-", input=code.encode()).stdout
        self.assertIn("has not let it in yet", again)
        told = self.workspace.serving(
            "fleet join", code, "--fingerprint", "0" * 64, status=USAGE).stderr
        self.assertIn("nothing else goes with it", told)

    def test_codes_that_do_not_work(self):
        other = Authority(pathlib.Path(tempfile.mkdtemp(dir=self.place)))
        for code, words, status in (
                ("mamd1:abc", "was not copied as a whole", USAGE),
                ("hello", "no invitation", USAGE),
                (self.office.invite(expires=time.time() - 10)[1], "expired at", REFUSED),
                (self.office.invite(fingerprint="0" * 64)[1], "no root with the code's", REFUSED),
                (self.office.invite(authority=other)[1], "another certificate", REFUSED)):
            with self.subTest(words):
                told = self.join(code, status=status).stderr
                self.assertIn(words, told)
                self.assertIn("try:", told)
        self.assertIsNone(self.show())
        _, code = self.office.invite()
        self.engine.kill()
        self.assertIn("check the network", self.join(code, status=UNREACHABLE).stderr)

    def test_a_code_works_once(self):
        self.enrol(service=False)
        other = Workspace(name="other", settings=self.settings)
        self.addCleanup(other.close)
        other.init().mount()
        told = self.join(self.code, status=REFUSED, workspace=other).stderr
        self.assertIn("used already", told)
        # It has not joined either.
        self.assertIsNone(json.loads(
            other.serving("fleet show", "--json").stdout)["organization"])


class Robustness(FleetService):
    def test_a_machine_that_was_off(self):
        self.enrol()
        self.service.kill()
        self.push_rule(True)
        self.assertFalse(self.rule())
        self.service.start()
        wait_until(lambda: self.rule(), 20)

    def test_a_server_that_is_killed(self):
        self.enrol()
        self.engine.kill()
        time.sleep(1)
        self.engine.start()
        self.push_rule(True)
        wait_until(lambda: self.rule(), 30)
        self.assertEqual(self.service.text.count("connected as machine"), 2)

    def test_a_daemon_that_restarts(self):
        self.enrol()
        self.workspace.unmount()
        self.push_rule(True)
        self.workspace.mount()
        wait_until(lambda: self.rule(), 30)
        self.workspace.remount()
        self.push_rule(False)
        wait_until(lambda: self.rule() is False, 30)

    def test_what_came_last_is_kept(self):
        self.enrol()
        # It comes while the daemon is away, and the server is away when that is back.
        self.workspace.unmount()
        self.push_rule(True)
        kept = self.service.state / "bundle-nats-all"
        wait_until(lambda: kept.exists() and kept.read_bytes() == self.bundle("docs.all"), 20)
        self.service.kill()
        self.engine.kill()
        self.workspace.mount()
        self.service.start()
        wait_until(lambda: self.rule(), 20)

    def bundle(self, subject):
        client = self.engine.administrator()
        try:
            return client.last("DOCS", subject)
        finally:
            client.close()

    def test_a_machine_that_is_shut_out(self):
        self.enrol()
        self.office.revoke(self.machine)
        self.office.push()
        wait_until(lambda: "not connected" in self.service.text, 20)
        self.push_rule(True)
        time.sleep(8)
        self.assertEqual(self.service.text.count("connected as machine"), 1)
        self.assertFalse(self.rule())
        # Its last bundle has no documents any more.
        self.assertEqual(json.loads(self.bundle(f"docs.m.{self.machine}")), [])

    def test_an_older_directory_lets_nobody_in_again(self):
        self.enrol(service=False)
        account = self.office.path / "engine/account.jwt"
        older = account.read_bytes()
        self.office.revoke(self.machine)
        self.office.push()
        account.write_bytes(older)
        refused = self.office.run("push", "--json", status=None)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("older copy", refused.stdout)

    def test_a_machine_that_floods_leaves_room_for_documents(self):
        client = self.engine.administrator()
        self.addCleanup(client.close)
        for stream in ("STATUS", "REC", "AUDIT", "ENROL", "DOCS", "INVITED"):
            config = client.call(f"STREAM.INFO.{stream}")["config"]
            self.assertGreater(config["max_bytes"], 0, stream)
            if stream not in ("DOCS", "INVITED"):
                self.assertGreater(config["max_msg_size"], 0, stream)

    def test_the_audit_has_no_gaps_and_no_doubles(self):
        self.enrol()
        for number in range(12):
            for _ in range(20):
                self.workspace.serving("lock", ANN)
                self.workspace.unlock()
                if number % 4 != 3:
                    break
            if number % 3 == 0:
                self.service.kill()
            if number % 4 == 0:
                self.engine.kill()
                self.engine.start()
            if number % 3 == 0:
                self.service.start()
            time.sleep(1.5 + number % 3)

        local = [json.loads(line)["sequence"] for line in self.workspace.serving(
            "audit", "--json").stdout.splitlines()]

        def whole():
            self.office.pull()
            batches = self.office.reports("audit").get(self.machine, [])
            self.told = [record["sequence"] for batch in batches for record in batch["records"]]
            return self.told and self.told[-1] >= local[-1]

        wait_until(whole, 60)
        self.assertEqual(self.told[:len(local)], local)
        self.assertEqual(len(set(self.told)), len(self.told))
        # The stream itself has none either.
        client = self.engine.administrator()
        firsts = [
            json.loads(base64.b64decode(json.loads(payload)["payload"]))["from"]
            for _, payload in client.messages("AUDIT")]
        client.close()
        self.assertEqual(len(set(firsts)), len(firsts))


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

    def test_https(self):
        server = FileServer(self.site, self.engine.authority)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.office.https = server.url
        self.enrol(service=False)
        self.publish(self.site)
        self.service.options = ("--interval", "2")
        self.service.start()
        self.await_connected()
        wait_until(lambda: server.counts.get(304, 0) >= 4, 20)
        self.assertEqual(server.counts[200], 4)
        # Without the engine.
        self.push_rule(True)
        self.publish(self.site)
        wait_until(lambda: self.rule(), 20)
        self.engine.kill()
        self.office.policy({**RULES, "printBlocked": False}, name="level.json")
        self.site.joinpath("all.json").write_bytes(
            b"[" + (self.office.path / "signed/all@level.json").read_bytes() + b"]")
        wait_until(lambda: self.rule() is False, 20)
        # Over a restart nothing is got again.
        asked = server.counts.get(304, 0)
        wait_until(lambda: server.counts.get(304, 0) >= asked + 4, 20)
        before = server.counts[200]
        self.service.kill()
        self.service.start()
        asked = server.counts.get(304, 0)
        wait_until(lambda: server.counts.get(304, 0) >= asked + 4, 20)
        self.assertEqual(server.counts[200], before)
        # Neither redirects nor what is too long.
        server.redirects = True
        (self.site / "all.json").write_bytes(b"[" + b" " * (5 << 20) + b"]")
        wait_until(lambda: "too long" in self.service.text or "302" in self.service.text, 20)
        self.assertIsNone(self.service.process.poll())

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
        wait_until(lambda: self.rule(), 20)


class CompromisedEngine(FleetService):
    def test_nothing_is_accepted_and_nothing_breaks(self):
        self.enrol()
        self.push_rule(True)
        # The time comes last.
        newest = self.office.organization.serials
        wait_until(lambda: self.rule() and self.serial("time/all/time") == newest)
        before = {document["slot"]: document["serial"] for document in self.show()["documents"]}
        client = self.engine.administrator()
        self.addCleanup(client.close)
        mine = f"docs.m.{self.machine}"
        good = client.last("DOCS", "docs.all")
        old = [payload for subject, payload in client.messages("DOCS", "docs.all")][0]
        forger = Organization()
        forger.id = self.office.organization.id
        loose = forger.policy({**RULES, "printBlocked": False}, serial=1000)
        wipe = forger.order("wipe", self.machine, self.workspace.account()["id"])
        others = self.office.organization.order("lock", "1" * 32)
        for payload in (
                b"", b"\0" * 100, b"[", b"{}", b"[" * 100_000, b"[1,2,3]", b'["x"]',
                os.urandom(4 << 20),
                b"[" + b"{}," * 1_000_000 + b"{}]", b"[" + loose + b"]", b"[" + wipe + b"]",
                b"[" + others + b"]", old, b"[" + b",".join([loose] * 500) + b"]",
                b'["' + b"\\ud800" * 1000 + b'"]',
                b"[" + good[1:-2].replace(b'"sig":"', b'"sig":"A') + b"]", b"[]"):
            for subject in ("docs.all", mine, "docs.roots", "docs.time"):
                client.store(subject, payload)
        # Another machine's bundle, roots as policies, and the other way round.
        client.store("docs.roots", good)
        client.store("docs.all", client.last("DOCS", "docs.roots"))
        for number in range(3000):
            client.publish("docs.all", b"[" + forger.policy(RULES, serial=number + 1) + b"]"
                           if number % 100 == 0 else os.urandom(1000))
        time.sleep(5)
        self.assertIsNone(self.service.process.poll())
        self.assertLess(self.service.memory(), 150)
        self.assertTrue(self.rule())
        self.assertTrue(self.is_readable())
        self.assertEqual(
            before, {document["slot"]: document["serial"] for document in self.show()["documents"]})
        # What is good counts again, at the latest after a minute.
        self.push_rule(False)
        start = time.monotonic()
        wait_until(lambda: self.rule() is False, 90)
        print(f"good again after {time.monotonic() - start:.1f} s,"
              f" {self.service.memory():.0f} MiB")


if __name__ == "__main__":
    unittest.main()
