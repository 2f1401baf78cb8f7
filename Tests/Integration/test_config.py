"""What the organisation tells an account's programs, and settings in their own form."""
import json
import plistlib

from socket_client import Client
from workspace import ANN, DONE, NO, USAGE, WorkspaceCase


def configuration(name, values, default=False):
    document = {
        "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "displayName": name,
        "customSettings": [{"name": key, "value": value} for key, value in values.items()]}
    return {**document, "__IsDefault": True} if default else document


class Configuration(WorkspaceCase):
    policy = [
        {"displayName": "rules", "pinRequired": False},
        configuration(
            "one", {"server": "a.example", "retries": "5", "on": "true", "same": "x",
            "number": "1.5"}),
        configuration("two", {"server": "b.example", "retries": "10", "on": "no", "same": "x"}),
        configuration(
            "tenant", {"server": "default.example", "only": "default", "on": "yes"}, default=True)]

    def get(self, key, *options, status=DONE):
        return self.workspace.serving("config get", key, *options, status=status).stdout.strip()

    def test_values_by_type_and_query(self):
        for key, kind, query, expected in (
                ("server", "string", "min", "a.example"), ("server", "string", "max", "b.example"),
                ("retries", "number", "min", "5"), ("retries", "number", "max", "10"),
                # As texts they stand in another order.
                ("retries", "string", "min", "10"), ("number", "number", "any", "1.5"),
                ("on", "bool", "or", "true"), ("on", "bool", "and", "false"),
                ("only", "string", "any", "default"),
                ("same", "string", "any", "x")):
            self.assertEqual(
                self.get(key, "--type", kind, "--query", query), expected, (key, kind, query))
        self.assertIn(self.get("server"), ("a.example", "b.example"))
        self.get("nothing", status=NO)
        self.get("server", "--type", "bool", status=NO)
        self.get("server", "--type", "colour", status=USAGE)
        self.get("server", "--type", "bool", "--query", "max", status=USAGE)

    def test_conflicts_are_of_targeted_values(self):
        for key, status in (
                ("server", DONE), ("on", DONE), ("same", NO), ("only", NO), ("nothing", NO)):
            self.workspace.serving("config conflict", key, status=status)

    def test_all_of_it(self):
        everything = json.loads(self.workspace.serving("config list", "--json").stdout)
        self.assertEqual(len(everything), 3)
        self.assertEqual(
            [entry["server"] for entry in everything if entry.get("__IsDefault")],
            ["default.example"])
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        values = client.call("Policy.ConfigurationValue", key="retries", type="number")
        self.assertEqual(sorted(values["all"]), [5, 10])
        self.assertEqual(
            client.call("Policy.Configuration", accounts=["stranger@example.org"])["fullData"], [])


class Configure(WorkspaceCase):
    mounted = False

    def test_a_second_time_there_is_nothing_to_change(self):
        settings = self.workspace.root / "own.json"
        settings.write_text(
            '{"IntuneMAMSettings": {"MultiIdentity": true, "Mine": {"kept": [1]}, "AccentColor": '
            '"#a0b1c2"}}')
        first = self.workspace.ctl("configure", settings)
        self.assertIn("Mine", first.stderr)
        written = settings.read_bytes()
        self.assertEqual(
            json.loads(written),
            {"MultiIdentity": True, "Mine": {"kept": [1]}, "AccentColor": "#a0b1c2"})
        self.assertIn("nothing to change", self.workspace.ctl("configure", settings).stdout)
        self.assertEqual(settings.read_bytes(), written)

    def test_what_windows_wrote_becomes_utf_8(self):
        settings = self.workspace.root / "windows.json"
        settings.write_bytes('{"MultiIdentity": true,\r\n"Mine": "ä"}\r\n'.encode("utf-16"))
        self.workspace.ctl("configure", settings)
        self.assertEqual(
            json.loads(settings.read_bytes()), {"MultiIdentity": True, "Mine": "ä"})

    def test_a_property_list_becomes_json(self):
        plist = self.workspace.root / "Info.plist"
        for form in plistlib.FMT_XML, plistlib.FMT_BINARY:
            plist.write_bytes(
                plistlib.dumps({"IntuneMAMSettings": {"MultiIdentity": True}}, fmt=form))
            self.workspace.ctl("configure", plist, status=USAGE)
            output = self.workspace.root / f"settings-{form.name}.json"
            self.workspace.ctl("configure", plist, "-o", output)
            self.assertEqual(json.loads(output.read_text()), {"MultiIdentity": True})

    def test_a_small_property_list_that_unfolds_to_much_is_refused(self):
        plist, value = self.workspace.root / "Many.plist", "x" * 1000
        for _ in range(25):
            value = [value, value]
        plist.write_bytes(plistlib.dumps({"Mine": value}, fmt=plistlib.FMT_BINARY))
        self.assertLess(plist.stat().st_size, 3000)
        said = self.workspace.ctl(
            "configure", plist, "-o", self.workspace.root / "many.json", status=USAGE).stderr
        self.assertIn("too large", said)
        self.assertFalse((self.workspace.root / "many.json").exists())

    def test_wrong_settings_are_refused_and_left(self):
        settings = self.workspace.root / "wrong.json"
        settings.write_text('{"MaxFileProtectionLevel": "strong"}')
        refused = self.workspace.ctl("configure", settings, status=USAGE)
        self.assertIn("MaxFileProtectionLevel", refused.stderr)
        self.assertEqual(settings.read_text(), '{"MaxFileProtectionLevel": "strong"}')

    def test_a_start_is_stopped_by_a_wrong_value_only_where_it_protects(self):
        settings = self.workspace.policies.parent / "settings.json"
        good = json.loads(settings.read_text())
        settings.write_text(json.dumps({**good, "AllowedAccounts": ANN}))
        self.workspace.mount(status=NO)
        self.assertIn("AllowedAccounts must be a list of texts", self.workspace.log.read_text())
        settings.write_text(
            json.dumps({**good, "OpenInActionExtension": True, "SplashDuration": "x"}))
        self.workspace.mount()
        warnings = json.loads(self.workspace.serving("policy show", "--json").stdout)["warnings"]
        self.assertEqual(warnings, [
            'SplashDuration must be a number from 0.0 to 60.0, not "x"; using the default'])
