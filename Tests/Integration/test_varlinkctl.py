"""The socket for systemd's varlinkctl, a client that others wrote."""
import json
import shutil
import subprocess
import unittest

from workspace import ANN, ROOT, WorkspaceCase

INTERFACES = sorted(file.stem for file in (ROOT / "docs").glob("*.varlink"))


@unittest.skipUnless(shutil.which("varlinkctl"), "no varlinkctl: systemd is older than 255")
class Varlinkctl(WorkspaceCase):
    def varlinkctl(self, *arguments, status=0):
        said = subprocess.run(
            ["varlinkctl", "--no-pager", *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(said.returncode == 0, status == 0, said.stdout + said.stderr)
        return said

    @property
    def address(self):
        return f"unix:{self.workspace.socket}"

    def call(self, method, *options, **parameters):
        said = self.varlinkctl(
            "call", "--json=short", *options, self.address, f"io.mamd.{method}",
            json.dumps(parameters))
        # With --more systemd 257 separates records as RFC 7464 does.
        return [json.loads(line) for line in said.stdout.replace("\x1e", "").splitlines()]

    def test_all_interfaces_are_described_to_it(self):
        listed = self.varlinkctl("list-interfaces", self.address).stdout.split()
        self.assertLessEqual(set(INTERFACES), set(listed))
        for interface in INTERFACES:
            # It parses the description, and prints it in its own form.
            printed = self.varlinkctl("introspect", self.address, interface).stdout
            stored = (ROOT / "docs" / f"{interface}.varlink").read_text()
            self.assertEqual(methods(printed), methods(stored), interface)

    def test_its_own_checker_takes_the_files(self):
        for file in sorted((ROOT / "docs").glob("*.varlink")):
            self.varlinkctl("validate-idl", file)

    def test_a_call(self):
        (status,) = self.call("Workspace.Status")
        self.assertEqual(status["name"], "work")
        self.assertEqual([one["name"] for one in status["accounts"]], [ANN])

    def test_a_refusal_names_the_error(self):
        said = self.varlinkctl(
            "call", self.address, "io.mamd.Workspace.Lock", '{"account": "nobody@example.org"}',
            status=1)
        self.assertIn("io.mamd.Workspace.UnknownAccount", said.stderr)

    def test_more_gets_each_reply(self):
        self.workspace.lock()
        self.workspace.unlock()
        replies = self.call("Audit.List", "--more")
        self.assertGreaterEqual(len(replies), 3)
        self.assertNotIn("record", {k: v for k, v in replies[-1].items() if v is not None})
        events = [reply["record"]["event"] for reply in replies[:-1]]
        self.assertIn("locked", events)

    def test_without_more_it_is_told_so(self):
        said = self.varlinkctl("call", self.address, "io.mamd.Audit.List", "{}", status=1)
        self.assertIn("org.varlink.service.ExpectedMore", said.stderr)


def methods(description):
    return sorted(
        line.split("(")[0].removeprefix("method ") for line in description.splitlines()
        if line.startswith("method "))


if __name__ == "__main__":
    unittest.main()
