"""Every verb has a schema for its JSON, a paragraph in the manual, examples and statuses; and
prints what the schema says."""
import json
import re
import subprocess
import unittest

import jsonschema

import json_output
from workspace import (
    ANN, BOB, DONE, NO, NOT_FOUND, REFUSED, ROOT, UNREACHABLE, USAGE, Workspace, WorkspaceCase)

MANUAL = (ROOT / "docs" / "man" / "mamctl.md").read_text()
# What no verb prints by itself.
SHARED = {"common", "error"}


def table(workspace):
    return json.loads(workspace.ctl("help", "--json").stdout)


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.verbs = table(cls.workspace)

    def test_every_verb_is_written_about(self):
        for verb in self.verbs:
            with self.subTest(verb=verb["name"]):
                self.assertIsNotNone(
                    json_output.schema(verb["name"].replace(" ", "-")), "no docs/schema")
                self.assertGreaterEqual(len(verb["examples"]), 2)
                self.assertTrue(all("mamctl" in example for example in verb["examples"]))
                # Nobody is meant only where that is said.
                for example in verb["examples"]:
                    if "--owner ''" in example:
                        self.assertIn("--unmanaged", example)
                self.assertIn(DONE, [status["status"] for status in verb["statuses"]])
                # A heading of the manual begins with its name, alone or behind others.
                self.assertRegex(
                    MANUAL, rf"(?m)^\*\*.*\*\*{verb['name']}(\*\*| )|^\*\*{verb['name']}(\*\*| )")

    def test_every_option_is_in_the_manual(self):
        for verb in self.verbs:
            for option in verb["options"]:
                with self.subTest(verb=verb["name"], option=option["name"]):
                    self.assertRegex(MANUAL, rf"--{option['name']}\b")
                    if option["short"]:
                        self.assertRegex(MANUAL, rf"\*\*-{option['short']}\*\*")

    def test_every_schema_is_of_a_verb(self):
        names = {verb["name"].replace(" ", "-") for verb in self.verbs}
        found = {path.stem for path in json_output.SCHEMAS.glob("*.json")}
        self.assertEqual(found - names - SHARED, set())
        for name in found:
            json_output.validator(name)

    def test_the_schemas_can_refuse(self):
        words = ["version"]
        json_output.check(words, '{"version": "1"}')
        for output in (
                '{"version": 1}', "{}", '{"version": "1", "more": 2}',
                '{"error": {"status": "1"}}'):
            with self.subTest(output=output), self.assertRaises(jsonschema.ValidationError):
                json_output.check(words, output)
        with self.assertRaises(AssertionError):
            json_output.check(["nosuch"], "{}")

    def test_mistakes(self):
        ctl = self.workspace.ctl
        for words, status in (
            (["nosuch"], USAGE), (["account"], USAGE), (["owner"], USAGE),
            (["status"], UNREACHABLE),
            (["init", self.workspace.root / "no" / "where"], NOT_FOUND),
            (["mount", "nosuch", "nosuch"], NOT_FOUND),
        ):
            with self.subTest(words=words):
                error = json.loads(ctl(*words, "--json", status=status).stdout)["error"]
                self.assertEqual(error["status"], status)
                json_output.validator("error").validate({"error": error})


class Verbs(WorkspaceCase):
    accounts = (ANN, BOB)

    def test_all(self):
        """Each that prints JSON does once; what it prints is checked where it is run."""
        workspace = self.workspace
        seen = set()

        def run(*words, status=DONE, input=None):
            output = workspace.ctl(*words, "--json", status=status, input=input).stdout
            self.assertTrue(output.strip(), words)
            seen.add(json_output.name_of([str(word) for word in words]))
            return output

        file = self.write(self.directory / "file", b"text")
        outside = workspace.root / "outside"
        outside.write_bytes(b"text")
        document = next(workspace.policies.iterdir())
        good = workspace.root / "good.json"
        good.write_bytes(document.read_bytes())
        secret = ("--passfile", workspace.passfile)

        run("version")
        run("help")
        run("help", "can")
        run("status")
        run("account", "list")
        run("account", "check-in")
        run("account", "register", "eve@contoso.com", *secret)
        run("account", "passphrase", ANN, *secret, "--new-passfile", workspace.passfile)
        other = workspace.secret("other", "another correct horse")
        added = json.loads(run("slot", "add", ANN, *secret, "--new-passfile", other))
        run("slot", "list", ANN)
        run("slot", "test", ANN, *secret)
        run("slot", "remove", ANN, added["id"], *secret)
        run("account", "login", ANN, *secret)
        run("compliance", "check", ANN, status=(DONE, NO))
        run("account", "link", ANN, "--oid", "5a3c1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90", *secret)
        run("account", "deregister", "eve@contoso.com", "--keep")
        run("threat", "set", "low")
        run("lock", BOB, "--now")
        run("unlock", BOB, *secret)
        run("identity", "show")
        run("identity", "ui", status=(DONE, NO, REFUSED))
        run("identity", "blocked")
        for verb in ("owner", "info", "class", "is-encrypted"):
            run(verb, file)
            run(verb, file, workspace.root / "missing", status=NOT_FOUND)
        run("info", self.directory)
        run("class", "--set", "B", file)
        run("owner", "--set", BOB, file)
        run("encrypt", outside, "--owner", ANN)
        run("info", outside)
        run("decrypt", outside)
        run("decrypt", file)
        run("protect", self.directory, "--owner", ANN)
        run("verify-protect", self.directory, workspace.root / "missing", "--owner", ANN,
            status=NOT_FOUND)
        run("verify", workspace.mount_point)
        run("data", "info", status=None, input=b"plain")
        run("can")
        run("can", "isContactSyncAllowed", status=(DONE, REFUSED))
        run("can", "print", status=None)
        run("can", "save")
        run("can", "open")
        run("can", "notify", status=None)
        run("can", "pick", "import", status=None)
        run("can", "save", "--location", "OneDriveForBusiness", "--file", file, status=None)
        run("can", "receive", file, status=None)
        run("can", "share", "/bin/sh", status=None)
        run("can", "copy", "20", status=None)
        run("can", "paste", "20", status=None)
        run("can", "url", "https://contoso.com", status=None)
        run("can", "link", "https://contoso.com", status=None)
        run("policy", "show")
        run("policy", "show", ANN)
        run("policy", "check", good)
        run("policy", "import", good)
        run("metrics")
        run("configure", workspace.settings)
        run("config", "list")
        run("config", "get", "nosuch", status=NO)
        run("config", "conflict", "nosuch", status=NO)
        with subprocess.Popen(
            ["mamctl", "watch", "--json"], stdout=subprocess.PIPE, text=True,
            env=workspace.environment) as watch:
            json_output.check(["watch"], watch.stdout.readline())
            watch.kill()
        run("wipe", BOB, "--confirm", BOB)
        run("unmount", workspace.mount_point)
        workspace.await_end()
        run("mount", workspace.backing, workspace.mount_point)
        run("init", workspace.root / "another")
        silent = {name for name in map(str, seen) if json_output.schema(name).get("not") == {}}
        self.assertEqual(silent, set())
        every = {
            path.stem for path in json_output.SCHEMAS.glob("*.json")
            if "not" not in json.loads(path.read_text())}
        # Those of modules that have tests of their own may be missing here; those of this list may
        # not.
        self.assertEqual(OURS & every - seen, set())


OURS = set(re.findall(r"[\w-]+", """
    init mount unmount status verify account-register account-list account-passphrase unlock lock
    slot-list slot-add slot-test slot-remove
    wipe account-login account-deregister account-check-in threat-set compliance-check owner info
    class is-encrypted encrypt decrypt protect verify-protect data-info identity-show identity-ui
    identity-blocked account-link can can-save can-open can-receive can-copy can-paste can-url
    can-link can-print can-pick can-share can-notify policy-show policy-check policy-import
    config-get config-list config-conflict configure metrics version help"""))

if __name__ == "__main__":
    unittest.main()
