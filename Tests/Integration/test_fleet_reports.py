"""How a machine is, as it reports it to its organisation."""
import base64
import calendar
import json
import os
import pathlib
import platform
import subprocess
import time
import unittest

from fleet_reports import TRANSPORT_KEY, Reports
from signing import DAY, Forged, opened, statement
from socket_client import Refusal
from test_fleet import RULES
from workspace import ANN, ROOT, wait_until


class Status(Reports):
    def test_how_the_machine_is(self):
        self.deliver(self.contoso.document(
            "membership", {"groups": ["finance"], "members": {}}, name="groups",
            audience=f"machine:{self.machine}"))
        self.assertEqual(self.show()["groups"], ["finance"])
        order = self.contoso.order("lock", self.machine)
        self.deliver(order)
        wait_until(lambda: not self.is_readable())
        # It is noted as done a moment after the window has closed.
        wait_until(lambda: self.status()["pending"] == 0)
        told = self.status()
        self.assertNotIn("diagnostics", told)
        self.assertEqual(told["host"], os.uname().nodename)
        self.assertEqual(told["kernel"], os.uname().release)
        self.assertEqual(told["workspace"], self.workspace.name)
        issued = calendar.timegm(time.strptime(told["issued"], "%Y-%m-%dT%H:%M:%SZ"))
        self.assertLess(abs(time.time() - issued), 60)
        self.assertEqual((told["rootSerial"], told["pending"], told["problem"]), (1, 0, None))
        self.assertEqual(told["obeyed"], [statement(order)["name"]])
        shown = {one["slot"]: one["serial"] for one in self.show()["documents"]}
        self.assertEqual(shown.pop("root/all/root"), 1)
        self.assertEqual(told["documents"], shown)
        self.assertTrue(told["mounted"])
        self.assertEqual(
            told["contained"], "landlock" in pathlib.Path("/sys/kernel/security/lsm").read_text()
            if os.path.exists("/sys/kernel/security/lsm") else told["contained"])
        self.check_facts(told["facts"])
        (account,) = told["accounts"]
        self.assertEqual((account["id"], account["name"]), (self.account(), ANN))
        self.assertEqual((account["window"], account["blockedBy"]), ("locked", None))
        self.assertTrue(account["compliant"])
        self.assertIn("Signed", account["level"])
        self.assertIsNotNone(account["checkedIn"])

    def check_facts(self, facts):
        release = platform.freedesktop_os_release()
        # The probe of the package is a second opinion.
        probe = subprocess.run(
            [ROOT / "packaging" / "probes" / "disk-encrypted", self.workspace.backing],
            capture_output=True, text=True, timeout=60).stdout.strip()
        self.assertEqual(facts, {
            "system": f"{release['ID']} {release['VERSION_ID']}",
            "encrypted": {"compliant": True, "noncompliant": False, "": None}[probe],
            "restartRequired": os.path.exists("/run/reboot-required")})

    def test_an_account_is_open_locked_or_blocked(self):
        self.assertEqual(self.account_status()["window"], "open")
        with open(self.file, "rb"):
            self.assertEqual(self.account_status()["files"], 1)
        self.workspace.lock()
        self.assertEqual(self.account_status()["window"], "locked")
        self.deliver(self.contoso.document("policy", b"", name="level.json"))
        wait_until(lambda: self.account_status()["window"] == "blocked")
        self.assertEqual(self.account_status()["blockedBy"], "launch")
        self.assertFalse(self.account_status()["compliant"])

    def test_why_check_ins_fail(self):
        self.deliver(self.contoso.time({"policy/all/level.json": 1000}))
        self.assertIn("did not arrive", self.status()["problem"])

    def test_documents_that_come_at_the_wrong_time_are_no_refused_accesses(self):
        now = int(time.time())
        for document in (self.contoso.time(issued=now + 5 * 86_400),
                         self.contoso.policy(RULES, issued=now - 9 * 86_400, days=1)):
            self.refusal(document)
        self.assertEqual(self.status()["refused"], 0)
        self.assertNotIn("suspects", self.status())

    def test_refused_accesses_are_counted(self):
        self.assertEqual(self.status()["refused"], 0)
        self.workspace.lock()
        for name in ("one", "two"):
            with self.assertRaises(OSError):
                self.file.read_bytes()
            with self.assertRaises(OSError):
                self.workspace.path(name).write_bytes(b"x")
        wait_until(lambda: self.status()["refused"] >= 2)
        before = self.status()["refused"]
        self.assertEqual(self.status()["refused"], before)
        self.workspace.remount()
        self.assertGreaterEqual(self.status()["refused"], before)

    def test_the_last_check_is_counted(self):
        self.assertIsNone(self.status()["verify"])
        (self.workspace.backing / "foreign").write_bytes(b"plain")
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        self.assertEqual(self.status()["verify"]["findings"], 0)
        os.truncate(self.workspace.on_disk("file"), 4100)
        self.workspace.remount()
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        self.assertGreater(self.status()["verify"]["findings"], 0)

    def test_diagnostics_come_with_the_status_on_order(self):
        self.assertNotIn("diagnostics", self.status())
        order = self.contoso.order(
            "collectDiagnostics", self.machine, keys=self.contoso.keys["order"][:1])
        self.deliver(order)
        self.workspace.remount()
        self.assertEqual(self.show()["pending"], 1)
        told = self.status()
        self.assertEqual((told["pending"], len(told["obeyed"])), (0, 1))
        found = told["diagnostics"]
        self.assertGreater(found["counters"]["unlocks"], 0)
        self.assertEqual(found["unreadableKeybags"], 0)
        self.assertIn("LockGraceSeconds", found["settings"])
        self.assertNotIn(ANN, json.dumps(found))
        self.assertIn("diagnostics", self.status())
        self.assertIn("collectDiagnostics", self.workspace.serving(
            "audit", "--event", "ordered", "--json").stdout)
        self.assertIn("obeyed before", self.refusal(order))

    def test_orders_for_diagnostics_keep_nobody_from_leaving(self):
        self.deliver(self.contoso.order("collectDiagnostics", self.machine))
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)

    def test_it_names_no_file_and_no_place(self):
        secret = self.workspace.path("unusual-name-of-a-file")
        secret.write_bytes(b"x")
        self.workspace.lock()
        with open(os.devnull), self.assertRaises(OSError):
            secret.read_bytes()
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        text = json.dumps(self.status())
        for part in ("unusual-name", str(self.workspace.root), str(self.workspace.mount_point)):
            self.assertNotIn(part, text)

    def test_numbers_increase(self):
        numbers = [self.status()["sequence"] for _ in range(3)]
        self.workspace.remount()
        numbers.append(self.status()["sequence"])
        # As if the clock had been a day ahead.
        self.workspace.unmount()
        place = self.workspace.state / "fleet" / "sequence.json"
        ahead = json.loads(place.read_text())["next"] + DAY * 1000
        place.write_text(json.dumps({"next": ahead}))
        self.workspace.mount()
        self.workspace.unlock()
        numbers += [self.status()["sequence"] for _ in range(2)]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreaterEqual(numbers[-2], ahead)

    def test_a_verifier_finds_what_was_changed(self):
        report = json.loads(self.call("Status")["report"])
        payload = base64.b64decode(report["payload"])
        changed = payload.replace(b'"pending":0', b'"pending":1')
        self.assertNotEqual(payload, changed)
        for members in (
                {"payload": base64.b64encode(changed).decode()},
                {"payloadType": "application/vnd.mamd.audit+json"},
                {"signatures": [{**report["signatures"][0], "keyid": "0" * 32}]}):
            with self.assertRaises(Forged):
                self.opened(json.dumps({**report, **members}), "status")
        with self.assertRaises(Forged):
            opened(json.dumps(report), "status", self.contoso.id, bytes(32))
        with self.assertRaises(Forged):
            opened(json.dumps(report), "status", "0" * 32, self.public)

    def test_without_an_organisation_there_is_nothing_to_report_to(self):
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)
        for method, parameters in (
                ("Status", {}), ("Records", {}), ("Audit", {"after": 0, "limit": 1}),
                ("Enrol", {"invitation": "i1", "transportKey": TRANSPORT_KEY})):
            with self.assertRaisesRegex(Refusal, "joined no organisation"):
                self.call(method, **parameters)

    def test_enrolment(self):
        told = self.opened(
            self.call("Enrol", invitation="i-1", transportKey=TRANSPORT_KEY)["request"],
            "enrolment")
        self.assertEqual(
            (told["invitation"], told["transportKey"], told["host"], told["publicKey"]),
            ("i-1", TRANSPORT_KEY, os.uname().nodename, base64.b64encode(self.public).decode()))
        for wrong in (
                {"invitation": "a/b"}, {"invitation": ""}, {"transportKey": "SU" + "A" * 54},
                {"transportKey": TRANSPORT_KEY + "A"}, {"transportKey": "U" + "a" * 55}):
            with self.subTest(wrong), self.assertRaisesRegex(Refusal, next(iter(wrong))):
                self.call("Enrol", **{
                    "invitation": "i-1", "transportKey": TRANSPORT_KEY, **wrong})


if __name__ == "__main__":
    unittest.main()
