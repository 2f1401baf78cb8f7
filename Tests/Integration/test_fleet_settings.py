"""What an organisation asks of a machine's settings: in force at once, never laxer than the
machine's own, and told where the machine cannot do it."""
import json
import os
import time
import unittest

from fleet_reports import Reports
from login_bus import PATIENCE, LoginBus
from running import daemons
from signing import DAY, Key, Organization
from workspace import ANN, DONE, REFUSED, SETTINGS, wait_until

RESTRICTED = {"allowedOutboundDataTransferDestinations": "managedApps"}
NAME = "settings.json"


class SettingsCase(Reports):
    """Policy restricts, and the machine's own settings contain no programs."""

    settings = {**SETTINGS, "LockGraceSeconds": 0, "Containment": "off"}

    def join_with_policy(self, **rules):
        return super().join_with_policy(**{**RESTRICTED, **rules})

    def asked(self, settings, **options):
        content = settings if isinstance(settings, bytes) else json.dumps(settings).encode()
        return self.contoso.document("settings", content, **{"name": NAME, **options})

    def ask(self, settings, **options):
        self.deliver(self.asked(settings, **options))

    def in_force(self):
        return {one["key"]: one for one in self.show()["settings"]}

    def value(self, key):
        return json.loads(self.in_force()[key]["value"])


class Containment(SettingsCase):
    def test_it_is_in_force_at_once_and_lasts(self):
        self.assertTrue(self.is_readable())
        self.assertFalse(self.status()["contained"])
        self.ask({"Containment": "required"})
        self.assertFalse(self.is_readable())
        self.assertTrue(self.status()["contained"])
        self.assertEqual(self.status()["settings"], {"Containment": ""})
        self.workspace.write_contained(self.workspace.path("new"), b"contained")
        shown = self.in_force()["Containment"]
        self.assertEqual(
            (shown["value"], shown["stricter"], shown["documents"], shown["unmet"]),
            ('"required"', True, [f"settings/all/{NAME} {self.contoso.serials}"], None))
        self.assertIn("asked by", self.workspace.serving("fleet show").stdout)
        self.assertIn("Containment", self.workspace.serving(
            "audit", "--event", "policy-changed", "--json").stdout)
        self.workspace.remount()
        self.assertFalse(self.is_readable())

    def test_a_machine_is_never_laxer_by_it(self):
        self.ask({"Containment": "required"})
        # Of two documents the stricter counts, whichever is newer.
        self.ask({"Containment": "off"}, name="other")
        self.assertEqual(self.value("Containment"), "required")
        self.assertFalse(self.is_readable())

    def test_what_is_refused_changes_nothing(self):
        self.ask({"Containment": "required"}, serial=50)
        thief = Organization()
        for document, reason in (
                (self.asked({}, serial=60, keys=thief.keys["policy"]), "and has 0"),
                (self.asked({}, serial=60, keys=self.contoso.keys["order"]), "and has 0"),
                (thief.document("settings", {}, name=NAME), "of another organisation"),
                (self.asked({}, serial=40), "older than 50"),
                (self.asked({}, serial=50), "another document with serial 50"),
                (self.asked({}, serial=60, days=1, issued=int(time.time()) - 2 * DAY), "expired"),
                (self.asked({"Containment": "required", "Container": "x"}, serial=60),
                 "Container is no setting"),
                (self.asked({"Containment": "perhaps"}, serial=60), "Containment must be one of"),
                (self.asked({"Hooks": {"CheckIn": ["/bin/sh"]}}, serial=60), "no setting"),
                (self.asked({"Probes": {"OsVersion": ["/bin/sh"]}}, serial=60), "required"),
                (self.asked([], serial=60), "no JSON object")):
            with self.subTest(reason):
                self.assertIn(reason, self.refusal(document))
        self.assertEqual(self.value("Containment"), "required")
        self.assertFalse(self.is_readable())

    def test_withdrawn_the_machines_own_count_and_no_older_ones_come_back(self):
        old = self.asked({"Containment": "required"})
        self.deliver(old)
        self.ask(b"")
        self.assertEqual(self.in_force(), {})
        self.assertNotIn("settings", self.status())
        self.assertTrue(self.is_readable())
        self.assertIn("older than", self.refusal(old))
        self.ask({"Containment": "required"})
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(self.is_readable)

    def ask_for_a_moment(self, settings):
        """In force, and soon expired: a loaded machine takes longer to get it there."""
        for seconds in (2, 10, 50):
            document = self.asked(settings, issued=int(time.time()) - DAY + seconds, days=1)
            if self.deliver(document, status=(DONE, REFUSED)).returncode == DONE:
                return
        self.fail("it comes too late")

    def test_expired_it_stays_and_check_ins_fail(self):
        self.ask_for_a_moment({"Containment": "required"})
        wait_until(lambda: "expired" in (self.show()["problem"] or ""))
        self.assertFalse(self.is_readable())
        self.workspace.remount()
        self.assertFalse(self.is_readable())

    def test_held_back_it_makes_check_ins_fail(self):
        self.deliver(self.contoso.time(
            {f"settings/all/{NAME}": 100}, issued=int(time.time()) + 1))
        self.assertIn("did not arrive", self.show()["problem"])
        self.ask({"Containment": "required"}, serial=100)
        self.assertIsNone(self.show()["problem"])

    def test_a_group_of_machines(self):
        self.ask({"Containment": "required"}, audience="group:lab")
        self.assertTrue(self.is_readable())
        self.deliver(self.contoso.document(
            "membership", {"groups": ["lab"], "members": {}}, name="groups",
            audience=f"machine:{self.machine}"))
        self.assertFalse(self.is_readable())

    def test_a_key_that_is_taken_away_opens_nothing(self):
        self.ask({"Containment": "required"})
        self.contoso.keys["policy"] = [Key()]
        policy = self.contoso.policy({**RESTRICTED, "displayName": "Signed"}, name="level.json")
        self.deliver(self.contoso.root(serial=2))
        # All at once, for whoever signs them anew.
        for told in (self.workspace.serving("account list").stdout, self.show()["problem"]):
            self.assertIn(f"policy/all/level.json, settings/all/{NAME}", told)
        self.deliver(policy)
        self.workspace.serving(
            "unlock", ANN, "--passfile", self.workspace.passfile, status=None)
        self.assertFalse(self.is_readable())
        self.assertIn("must be signed anew", self.workspace.serving("account list").stdout)
        self.ask({"Containment": "offered"})
        self.workspace.unlock()
        self.assertTrue(self.is_readable())

    def test_one_that_this_version_cannot_read_opens_nothing(self):
        self.ask({"Containment": "required"})
        self.workspace.unmount()
        standing = self.workspace.state / "fleet" / "standing.json"
        text = json.loads(standing.read_text())
        text["documents"] = [
            one for one in text["documents"] if "settings" not in one["payloadType"]]
        text["documents"].append(json.loads(self.asked({"Tomorrow": "x"}, serial=99)))
        standing.write_text(json.dumps(text))
        self.workspace.mount()
        self.workspace.serving(
            "unlock", ANN, "--passfile", self.workspace.passfile, status=None)
        self.assertFalse(self.is_readable())
        self.assertIn("Tomorrow", self.workspace.serving("account list").stdout)
        slot = f"settings/all/{NAME}"
        self.assertIn("Tomorrow", self.in_force()[slot]["unmet"])
        self.assertIn("Tomorrow", self.status()["settings"][slot])
        self.assertFalse(self.account_status()["compliant"])
        self.assertTrue(self.rule("printBlocked"))
        self.assertFalse(json.loads(self.workspace.serving(
            "account check-in", "--json", status=None).stdout)["succeeded"])


class Unmet(SettingsCase):
    settings = {
        **SettingsCase.settings, "LockOn": {"SessionLock": "never", "Sleep": "never"},
        "TrustedPrograms": ["/usr/bin/true", "/usr/bin/false"]}

    def test_what_the_machine_cannot_do_is_told(self):
        self.assertTrue(self.account_status()["compliant"])
        self.ask({"LockOn": {"Sleep": "now", "SessionLock": "grace", "IdleSeconds": 7200},
                  "Probes": {"OsVersion": "required"},
                  "TrustedPrograms": ["/usr/bin/true", "/usr/bin/env"]})
        # There is no bus here.
        wait_until(lambda: self.status()["settings"]["LockOn.Sleep"])
        told = self.status()["settings"]
        self.assertEqual(
            {key: bool(reason) for key, reason in told.items()},
            {"LockOn.Sleep": True, "LockOn.SessionLock": True, "LockOn.IdleSeconds": False,
             "Probes.OsVersion": True, "TrustedPrograms": False})
        self.assertIn("not configured", told["Probes.OsVersion"])
        self.assertEqual(self.value("TrustedPrograms"), ["/usr/bin/true"])
        self.assertFalse(self.account_status()["compliant"])
        self.assertIn("not done", self.workspace.serving("fleet show").stdout)
        self.assertIn("asks for a setting", self.workspace.serving(
            "compliance check", ANN, status=None).stdout)
        self.ask({"LockOn": {"IdleSeconds": 7200}})
        self.assertTrue(self.account_status()["compliant"])

    def test_what_contained_programs_may_not_is_not_done_where_none_are_contained(self):
        self.ask({"ContainedNetwork": "none"})
        self.assertIn("Containment is off", self.status()["settings"]["ContainedNetwork"])
        self.assertFalse(self.account_status()["compliant"])
        self.ask({"ContainedNetwork": "none", "Containment": "policy"})
        self.assertEqual(set(self.status()["settings"].values()), {""})
        self.assertTrue(self.account_status()["compliant"])

    def test_a_document_that_asks_nothing_is_answered(self):
        self.ask({"LockOn": {}})
        self.assertEqual(self.status()["settings"], {})
        self.assertTrue(self.account_status()["compliant"])

    def test_custom_compliance_says_so(self):
        def facts():
            return json.loads(self.workspace.ctl("compliance", "--intune").stdout)

        self.assertTrue(facts()["MamdCompliant"])
        self.ask({"Probes": {"OsVersion": "required"}})
        self.assertFalse(facts()["MamdCompliant"])
        self.ask({"LockOn": {"IdleSeconds": 7200}})
        self.assertTrue(facts()["MamdCompliant"])

    def test_idle_seconds_count_from_then_on(self):
        self.assertTrue(self.is_readable())
        self.ask({"LockOn": {"IdleSeconds": 1}})
        wait_until(lambda: self.account_status()["window"] == "locked")


class Probes(SettingsCase):
    settings = {**SettingsCase.settings, "Probes": {
        "OsVersion": ["/bin/echo", "12.4"], "Compliance": ["/nonexistent"],
        "AppVersion": ["/bin/true"], "SdkVersion": ["/bin/echo", "newest"],
        "DeviceModel": ["/bin/false"], "ThreatLevel": ["/bin/echo", "low"],
        "ClockStatus": ["/bin/echo", "perhaps"]}}

    def test_one_that_does_not_answer_is_told(self):
        """Though no policy asks what it would say."""
        self.ask({"Probes": {"OsVersion": "required", "ThreatLevel": "required"}})
        self.assertTrue(self.account_status()["compliant"])
        for probe, reason in (
                ("Compliance", "its program cannot be run"),
                ("AppVersion", "its program answers nothing"),
                ("SdkVersion", "its program's answer is not understood"),
                ("ClockStatus", "its program's answer is not understood"),
                ("DeviceModel", "its program failed: exited with status 1")):
            with self.subTest(probe):
                self.ask({"Probes": {"OsVersion": "required", probe: "required"}})
                self.assertEqual(self.status()["settings"], {
                    "Probes.OsVersion": "", f"Probes.{probe}": reason})
                self.assertFalse(self.account_status()["compliant"])
        self.workspace.remount()
        self.assertEqual(self.status()["settings"]["Probes.OsVersion"], "")


@unittest.skipUnless(os.geteuid() == 0, "logind runs as root only")
class Sleep(SettingsCase):
    settings = Unmet.settings

    def setUp(self):
        login = LoginBus({"7": 0})
        self.addCleanup(login.close)
        login.start()
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = login.address
        self.addCleanup(os.environ.pop, "DBUS_SYSTEM_BUS_ADDRESS")
        super().setUp()
        self.login = login

    def test_the_machine_does_not_sleep_before_all_is_locked(self):
        pid = next(daemons(str(self.workspace.root)))
        self.assertEqual(self.login.inhibitors(pid), [])
        self.ask({"LockOn": {"Sleep": "now"}})
        wait_until(lambda: self.login.inhibitors(pid) == [("sleep", "delay")], PATIENCE)
        self.assertEqual(self.status()["settings"], {"LockOn.Sleep": ""})
        with self.login.asleep():
            wait_until(lambda: not self.is_readable(), PATIENCE)
        self.ask(b"")
        wait_until(lambda: self.login.inhibitors(pid) == [], PATIENCE)


if __name__ == "__main__":
    unittest.main()
