"""The policy directory while the daemon runs: what is put there, changed, broken, replaced and
taken away."""
import json
import os
import shutil
import signal
import time
import unittest

import terminal
from workspace import ANN, NO, REFUSED, USAGE, Workspace, wait_until

LOOSE = {"displayName": "loose", "allowedOutboundDataTransferDestinations": "allApps"}
STRICT = {
    "displayName": "strict", "allowedOutboundDataTransferDestinations": "none",
    "printBlocked": True}


class PolicyDirectoryCase(unittest.TestCase):
    settings = None

    def setUp(self):
        self.workspace = Workspace(settings=self.settings, policy=LOOSE)
        self.addCleanup(self.workspace.close)
        self.workspace.init()
        self.policies = self.workspace.root / "config_home" / "mamd" / "work" / "policies"
        self.workspace.mount().register()

    def put(self, name, document):
        text = document if isinstance(document, str) else json.dumps(document)
        # Whole: of one that is half written the log would tell, too.
        new = self.workspace.root / name
        new.write_text(text)
        new.rename(self.policies / name)

    def show(self):
        return json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)

    def outbound(self):
        return self.show()["rules"].get("allowedOutboundDataTransferDestinations", {}).get("value")

    def refused(self):
        return {refused["file"]: refused for refused in self.show()["refused"]}

    def await_outbound(self, level):
        wait_until(lambda: self.outbound() == level, message=f"outbound did not become {level}")

    def status(self):
        return json.loads(self.workspace.serving("status", "--json").stdout)[0]

    def daemon(self):
        return self.status()["pid"]

    def await_refused(self, *names):
        wait_until(lambda: set(self.refused()) == set(names), message=f"not refused: {names}")


class Changes(PolicyDirectoryCase):
    def test_a_new_document_counts_at_once_and_a_removed_one_no_more(self):
        self.workspace.serving("can print", "--account", ANN)
        self.put("strict.json", STRICT)
        self.await_outbound("none")
        self.workspace.serving("can print", "--account", ANN, status=REFUSED)
        rule = self.show()["rules"]["allowedOutboundDataTransferDestinations"]
        self.assertEqual(rule["from"], ["strict"])
        self.assertEqual([looser["document"] for looser in rule["looser"]], ["loose"])
        (self.policies / "strict.json").unlink()
        self.await_outbound("allApps")
        self.workspace.serving("can print", "--account", ANN)

    def test_the_directory_may_be_replaced(self):
        new = self.policies.with_name("new")
        new.mkdir()
        (new / "strict.json").write_text(json.dumps(STRICT))
        self.policies.rename(self.policies.with_name("old"))
        new.rename(self.policies)
        self.await_outbound("none")
        # The new one is watched.
        self.put(
            "strict.json", {**STRICT, "allowedOutboundDataTransferDestinations": "managedApps"})
        self.await_outbound("managedApps")

    def test_a_link_to_the_directory_may_be_led_elsewhere(self):
        first, second = self.policies.with_name("first"), self.policies.with_name("second")
        self.policies.rename(first)
        self.policies.symlink_to(first)
        second.mkdir()
        (second / "strict.json").write_text(json.dumps(STRICT))
        self.put("more.json", {**STRICT, "allowedOutboundDataTransferDestinations": "managedApps"})
        self.await_outbound("managedApps")
        # Neither directory changes now.
        link = self.policies.with_name("link")
        link.symlink_to(second)
        link.rename(self.policies)
        self.await_outbound("none")

    def test_an_import_is_in_force_when_it_returns(self):
        export = self.workspace.root / "export.txt"
        export.write_text(json.dumps(STRICT))
        self.workspace.serving("policy import", export, "--name", "strict.json")
        self.assertEqual(self.outbound(), "none")
        self.assertEqual(json.loads((self.policies / "strict.json").read_text()), STRICT)
        export.write_text("{}{")
        self.workspace.serving("policy import", export, "--name", "strict.json", status=USAGE)
        for name in ("../x.json", ".x.json", "x.txt", "x/y.json", "MAMDebugSettings.json"):
            self.workspace.serving("policy import", export, "--name", name, status=USAGE)
        self.assertEqual(self.outbound(), "none")
        self.assertEqual(sorted(os.listdir(self.policies)), ["default.json", "strict.json"])

    def test_exports_are_taken_as_windows_writes_and_names_them(self):
        name = "Level 2 (iOS).JSON"
        export = self.workspace.root / name
        export.write_bytes(json.dumps(STRICT, indent=1).replace("\n", "\r\n").encode("utf-16"))
        self.assertEqual(self.workspace.ctl("policy", "check", export).stdout, "")
        self.workspace.serving("policy import", export)
        self.assertEqual(self.outbound(), "none")
        # Put there by hand, as it is.
        (self.policies / name).unlink()
        self.await_outbound("allApps")
        export.rename(self.policies / name)
        self.await_outbound("none")
        self.assertEqual(self.refused(), {})
        self.workspace.remount()
        self.assertEqual(self.outbound(), "none")

    def test_a_key_twice_is_refused_by_its_name(self):
        self.put("twice.json", '{"printBlocked": true,\n"printBlocked": false}')
        self.await_refused("twice.json")
        reason = self.refused()["twice.json"]["reason"]
        self.assertIn("printBlocked is twice in one object, again in line 2", reason)
        checked = self.workspace.ctl(
            "policy", "check", self.policies / "twice.json", status=USAGE).stdout
        self.assertIn("twice.json:2:1: error: printBlocked: ", checked)

    def test_a_hang_up_makes_it_look_and_does_not_end_it(self):
        pid = self.daemon()
        before = self.readings()
        os.kill(pid, signal.SIGHUP)
        wait_until(lambda: self.readings() > before, message="it did not look")
        self.assertEqual(self.daemon(), pid)

    def readings(self):
        lines = self.workspace.serving("metrics").stdout.splitlines()
        return sum(
            int(line.split()[-1]) for line in lines
            if line.startswith("mamd_policy_readings_total"))


class BadDocuments(PolicyDirectoryCase):
    def break_strict(self):
        self.put("strict.json", STRICT)
        self.await_outbound("none")
        self.put("strict.json", '{"printBlocked": "perhaps"}')
        wait_until(
            lambda: "strict.json" in self.refused(), message="the bad document was not refused")

    def test_the_last_good_version_stays_in_force_over_a_restart(self):
        self.break_strict()
        refused = self.refused()["strict.json"]
        self.assertTrue(refused["lastGoodInForce"])
        self.assertIn("printBlocked", refused["reason"])
        self.assertEqual(self.outbound(), "none")
        copies = self.workspace.state / "policies"
        self.assertEqual(sorted(os.listdir(copies)), ["default.json", "strict.json"])
        self.assertEqual((copies / "strict.json").stat().st_mode & 0o777, 0o600)
        self.workspace.remount()
        self.assertEqual(self.outbound(), "none")
        self.assertIn("strict.json", self.refused())
        self.put("strict.json", LOOSE)
        self.await_outbound("allApps")
        self.assertEqual(self.refused(), {})
        self.assertIn("strict.json is refused", self.workspace.daemon_log.read_text())

    def test_a_document_that_never_was_good_is_refused_and_stops_the_next_start(self):
        self.put("bad.json", "[]")
        wait_until(lambda: "bad.json" in self.refused(), message="not refused")
        self.assertFalse(self.refused()["bad.json"]["lastGoodInForce"])
        # Not understood, which is not the same as a directory that is not there.
        wait_until(lambda: self.workspace.account()["statusCode"] == 206)
        self.assertEqual(self.outbound(), "allApps")
        self.workspace.unmount()
        self.workspace.mount(status=NO)
        self.assertIn("bad.json", self.workspace.log.read_text())
        self.assertIn("mamctl policy check", self.workspace.log.read_text())

    def test_without_the_directory_everything_stays_over_a_restart(self):
        self.put("strict.json", STRICT)
        self.await_outbound("none")
        shutil.rmtree(self.policies)
        wait_until(
            lambda: "cannot be read" in self.workspace.daemon_log.read_text(),
            message="not noticed")
        self.assertEqual(self.outbound(), "none")
        self.workspace.remount()
        self.assertEqual(self.outbound(), "none")
        self.policies.mkdir()
        self.await_outbound(None)

    def test_a_damaged_copy_does_not_stop_a_good_document(self):
        self.workspace.unmount()
        for copy in (self.workspace.state / "policies").iterdir():
            copy.write_bytes(b"\xff\xfe{")
        self.workspace.mount()
        self.assertEqual(self.outbound(), "allApps")

    def test_an_import_tells_what_is_not_in_force_here(self):
        document = self.workspace.root / "elsewhere.json"
        document.write_text(
            json.dumps({**STRICT, "apps": [{"mobileAppIdentifier": {"bundleId": "another"}}]}))
        result = self.workspace.serving("policy", "import", document)
        self.assertIn("is for another and not in force here", result.stderr)
        self.assertIn(
            "is in force for nobody: its apps are another, and this workspace is work",
            result.stdout)
        self.assertIn("next: add work to apps as a bundleId", result.stdout)

    def test_a_graph_export_is_imported_for_whom_it_covers_and_a_trial_changes_nothing(self):
        apps = [{"mobileAppIdentifier": {
            "@odata.type": "#microsoft.graph.iosMobileAppIdentifier",
            "bundleId": f"com.microsoft.{name}"}}
            for name in ("teams", "word", "excel", "lens")]
        policy = {
            **STRICT, "@odata.type": "#microsoft.graph.iosManagedAppProtection", "assignments": []}
        export = self.workspace.root / "export.json"
        context = (
            "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/"
            "iosManagedAppProtections")
        for group, whom in (
                ("allMicrosoftApps", "nobody: its apps are com.microsoft.teams"), ("allApps", ANN)):
            document = {**policy, "appGroupType": group, "apps": apps}
            export.write_text(json.dumps({"@odata.context": context, "value": [document]}))
            trial = self.workspace.serving("policy import", export, "--dry-run").stdout
            self.assertIn(f"not imported: strict\n  would be in force for {whom}", trial)
            self.assertEqual(sorted(os.listdir(self.policies)), ["default.json"])
        done = self.workspace.serving("policy import", export).stdout
        self.assertEqual(done, f"imported: strict\n  is in force for {ANN}\n")
        self.assertEqual(self.outbound(), "none")


class NoPolicies(PolicyDirectoryCase):
    """What is no policy does not lift the one in whose place it stands."""

    not_policies = {
        "it is an error of": {"error": {"code": "Forbidden", "message": "no"}},
        "it has neither rules": {
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1"},
        "holds no document": {"value": []},
        "graph.user is not": {"@odata.context": "x/$metadata#users(id)", "value": [{"id": "1"}]},
        "iosUpdateConfiguration is not": {
            "@odata.type": "#microsoft.graph.iosUpdateConfiguration", "printBlocked": False},
        "it is one page": {"value": [LOOSE], "@odata.nextLink": "x"},
        "it has only configurations": {"customSettings": [{"name": "k", "value": "v"}]},
        "it is not JSON": json.dumps(STRICT)[:-1],
    }

    def setUp(self):
        super().setUp()
        self.put("strict.json", {**STRICT, "version": "7"})
        self.await_outbound("none")

    def refuse(self, document, reason):
        self.put("strict.json", document)
        wait_until(
            lambda: reason in self.refused().get("strict.json", {"reason": ""})["reason"],
            message=reason)

    def test_the_last_good_version_holds_against_each_of_them(self):
        before = time.time()
        for reason, document in self.not_policies.items():
            self.refuse(document, reason)
            self.assertEqual(self.outbound(), "none", reason)
        (refused,) = self.status()["refused"]
        self.assertEqual(
            (refused["file"], refused["inForce"]), ("strict.json", "strict (version 7)"))
        self.assertTrue(before - 1 <= refused["since"] <= time.time() + 1, refused)
        for verb in ("status", "policy show"):
            text = " ".join(self.workspace.serving(verb).stdout.split())
            self.assertIn("strict.json: it is not JSON", text)
            self.assertIn("In force instead: strict (version 7), as it was on 2", text)

    def test_it_holds_after_a_kill_and_the_refusal_is_as_old_as_the_file(self):
        self.refuse({}, "it has neither rules")
        since = self.refused()["strict.json"]["since"]
        os.kill(self.daemon(), signal.SIGKILL)
        wait_until(lambda: not os.path.ismount(self.workspace.mount_point) or self.dead())
        self.workspace.ctl("unmount", self.workspace.mount_point, status=None)
        self.workspace.mount()
        self.assertEqual(self.outbound(), "none")
        self.assertLessEqual(abs(self.refused()["strict.json"]["since"] - since), 1)

    def dead(self):
        try:
            os.listdir(self.workspace.mount_point)
        except OSError:
            return True
        return False

    def test_a_new_name_neither_lifts_nor_replaces_what_is_in_force(self):
        typed = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "empty"}
        self.put("empty.json", typed)
        self.await_refused("empty.json")
        self.assertEqual(self.outbound(), "none")
        # Moved to another name, and spoilt on the way.
        (self.policies / "strict.json").unlink()
        self.await_refused("empty.json", "strict.json")
        self.assertEqual(self.outbound(), "none")
        (self.policies / "empty.json").unlink()
        self.await_outbound("allApps")
        self.assertEqual(self.refused(), {})

    def test_a_file_that_was_good_and_is_spoilt_does_not_lift_one_that_was_removed(self):
        self.put("other.json", {"printBlocked": True})
        wait_until(lambda: len(self.show()["rules"]) > 1, message="other.json is not in force")
        (self.policies / "strict.json").write_text("{")
        (self.policies / "strict.json").rename(self.policies / "other.json")
        self.await_refused("other.json", "strict.json")
        self.assertEqual(self.outbound(), "none")
        (self.policies / "other.json").unlink()
        self.await_outbound("allApps")

    def test_an_order_to_wipe_does_not_take_a_policy_s_place(self):
        self.put(
            "strict.json",
            {"@odata.type": "#mamd.wipeRequest", "id": "1", "account": "eve@contoso.com"})
        self.await_refused("strict.json")
        self.assertEqual(self.outbound(), "none")
        self.workspace.serving("account check-in")
        self.assertIn(self.workspace.account()["statusCode"], (100, 101))

    def test_a_refusal_is_told_once_though_the_directory_was_away(self):
        self.refuse("{", "it is not JSON")
        aside = self.policies.rename(self.policies.with_name("aside"))
        log = self.workspace.daemon_log.read_text
        wait_until(lambda: "cannot be read" in log(), message="not noticed")
        self.assertEqual(set(self.refused()), {"strict.json"})
        aside.rename(self.policies)
        wait_until(lambda: self.workspace.account()["statusCode"] == 206, message="it did not look")
        self.assertEqual(log().count("strict.json is refused"), 1)

    def test_an_import_of_configurations_does_not_replace_a_protection(self):
        export = self.workspace.root / "export.json"
        export.write_text(json.dumps({"customSettings": [{"name": "k", "value": "v"}]}))
        self.workspace.serving("policy import", export, "--name", "strict.json", status=USAGE)
        self.workspace.serving("policy import", export, "--name", "values.json")
        self.assertEqual(self.outbound(), "none")
        self.assertEqual(self.refused(), {})

    def test_a_start_with_a_damaged_copy_and_no_directory_is_refused(self):
        self.workspace.unmount()
        (self.workspace.state / "policies" / "strict.json").write_text("{}")
        aside = self.policies.rename(self.policies.with_name("aside"))
        self.workspace.mount(status=NO)
        self.assertIn("strict.json is refused", self.workspace.log.read_text())
        aside.rename(self.policies)
        self.workspace.mount()
        self.assertEqual(self.outbound(), "none")


class Width(PolicyDirectoryCase):
    def test_the_rules_fit_a_terminal(self):
        self.put("strict.json", {**STRICT, "displayName": "A policy with a long name " * 3})
        self.await_outbound("none")
        show = ["mamctl", "policy", "show", ANN, "--workspace", "work"]
        lines = terminal.on_terminal(show, self.workspace.environment, columns=80)[1].splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("  allowedOutboundDataTransferDestinations", lines)


class FirstStart(unittest.TestCase):
    def test_with_no_good_version_nothing_is_served(self):
        workspace = Workspace(policy={"error": {"code": "Forbidden"}})
        self.addCleanup(workspace.close)
        workspace.init().mount(status=NO)
        self.assertIn("it is an error of Microsoft Graph", workspace.log.read_text())


class WipeOrders(PolicyDirectoryCase):
    def test_an_order_is_obeyed_and_is_no_policy(self):
        path = self.workspace.path("file")
        path.write_text("content")
        self.put("wipe.json", {"@odata.type": "#mamd.wipeRequest", "account": ANN})
        wait_until(
            lambda: "wipe.json" in self.refused(),
            message="an order without an id was not refused")
        self.put(
            "wipe.json", {"@odata.type": "#mamd.wipeRequest", "id": "1", "account": ANN.upper()})
        wait_until(lambda: self.workspace.account() is None, message="the account is still there")
        wait_until(lambda: not path.exists(), message="its file is still there")
        self.assertEqual(self.show()["refused"], [])
        self.assertEqual(os.listdir(self.workspace.state / "policies"), ["default.json"])


class Trials(PolicyDirectoryCase):
    flat = {"IntuneMAMPolicy.PrintingBlocked": 1, "IntuneMAMPolicy.AppSharingToLevel": 0}

    def test_a_flat_policy_counts_only_if_the_settings_say_so(self):
        self.put("MAMDebugSettings.json", self.flat)
        self.put(
            "strict.json", {**STRICT, "allowedOutboundDataTransferDestinations": "managedApps"})
        self.await_outbound("managedApps")
        self.assertNotIn("MAMDebugSettings.json", self.refused())
        self.workspace.unmount()
        settings = self.policies.parent / "settings.json"
        settings.write_text(
            json.dumps({**json.loads(settings.read_text()), "DebugSettingsEnabled": True}))
        self.workspace.mount()
        self.assertEqual(self.outbound(), "none")
        self.assertIn("DebugSettingsEnabled", self.workspace.log.read_text())


class Check(unittest.TestCase):
    def test_it_needs_no_daemon_and_names_the_line(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        document = workspace.root / "document.json"
        document.write_text(
            '{\n  "printBlocked": true,\n  "saveAsBlocked": "yes",\n  "unheardOf": 1\n}\n')
        found = workspace.ctl("policy", "check", document, status=USAGE).stdout
        self.assertIn(f"{document}:3:3: error: saveAsBlocked", found)
        self.assertIn(f"{document}:4:3: warning: unheardOf", found)
        document.write_text('{"printBlocked": true}')
        self.assertEqual(workspace.ctl("policy", "check", document).stdout, "")
        document.write_text('[{"printBlocked":true,"saveAsBlokced":true}]')
        found = workspace.ctl("policy", "check", document).stdout
        self.assertIn(f"{document}:1:23: warning: saveAsBlokced", found)
        self.assertIn("did you mean 'saveAsBlocked'?", found)
        document.write_text('{"printBlocked": true}')
        findings = json.loads(workspace.ctl("policy", "check", "--json", document).stdout)
        self.assertEqual(findings, [])


if __name__ == "__main__":
    unittest.main()
