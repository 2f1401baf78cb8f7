"""The examples, as a reader would run them; and the app guide's Swift, which is theirs."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from workspace import ANN, BOB, DONE, NO, PERSONAL, REFUSED, ROOT, WorkspaceCase, pattern

NEEDS = ("rclone", "rsync", "gcc", "libc6-dev")

EXAMPLES = ROOT / "examples"
STRICT = {
    "displayName": "rules", "pinRequired": False, "appDataEncryptionType": "whenDeviceLocked",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "allowedInboundDataTransferSources": "managedApps",
    "saveAsBlocked": True}
SIGNATURE = {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
             "customSettings": [{"name": "signature", "value": "Contoso"}]}


class ExampleCase(WorkspaceCase):
    settings = {"MultiIdentity": True, "MultiManagedIdentities": True}

    def run_program(self, *command, status=DONE, **more):
        result = subprocess.run(
            [os.fspath(word) for word in command], capture_output=True, text=True, timeout=60,
            env={**self.workspace.environment, **more.pop("environment", {})}, **more)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout

    def provider(self, tool, direction, cloud, directory, status=DONE):
        return self.run_program(
            EXAMPLES / "provider.sh", tool, direction, cloud, directory, ANN, status=status,
            environment={"RCLONE_CONFIG_CLOUD_TYPE": "local", "RCLONE_CONFIG": "/dev/null"})


class Provider(ExampleCase):
    """Between a cloud and this machine. What is imported is a plain copy."""

    policy = {**STRICT, "saveAsBlocked": False}

    @unittest.skipUnless(shutil.which("rclone") and shutil.which("rsync"), "needs rclone and rsync")
    def test_a_provider_in_a_script(self):
        content = {"plan.odt": pattern(50_000), "deep/er/a name with  spaces": b"x", "empty": b""}
        for tool, place in (("rclone", "cloud:{}"), ("rsync", "{}")):
            with self.subTest(tool=tool):
                cloud, out, back = (
                    self.workspace.root / f"{tool} {name}" for name in ("cloud", "out", "back"))
                for name, data in content.items():
                    (cloud / name).parent.mkdir(parents=True, exist_ok=True)
                    (cloud / name).write_bytes(data)
                self.provider(tool, "fetch", place.format(cloud), out)
                self.assertEqual(
                    {str(path.relative_to(out)): self.workspace.decode(path)
                    for path in out.rglob("*") if path.is_file()},
                    content)
                mounted = self.directory / tool
                self.provider(tool, "fetch", place.format(cloud), mounted)
                for name in content:
                    self.assertEqual(self.workspace.owner(mounted / name), ANN)
                # Nobody's files are not for an account that receives from managed programs alone.
                (out / "stranger").write_text("not hers")
                back.mkdir()
                for source in (out, mounted):
                    self.provider(
                        tool, "import", place.format(back), source,
                        status=NO if source == out else DONE)
                    self.assertEqual(
                        {str(path.relative_to(back)): path.read_bytes() for path in back.rglob("*")
                        if path.is_file()},
                        content)
                    shutil.rmtree(back)
        self.assertEqual(list((self.workspace.root / "runtime_dir").glob("provider.*")), [])


class Examples(ExampleCase):
    policy = [STRICT, SIGNATURE]

    @unittest.skipUnless(shutil.which("rsync"), "needs rsync")
    def test_a_provider_takes_in_nothing_that_policy_keeps(self):
        cloud = self.workspace.root / "cloud"
        cloud.mkdir()
        self.workspace.write_as(ANN, self.directory / "kept", "hers")
        self.provider("rsync", "import", cloud, self.directory, status=NO)
        self.assertEqual(list(cloud.iterdir()), [])

    # Notes, in Swift

    def notes(self, *words, account=BOB, status=DONE):
        return self.run_program("notes", account, *words, status=status)

    def test_notes(self):
        notes, outside = self.workspace.path("Notes"), self.workspace.root / "exported"
        self.notes("sign-in", self.workspace.passfile)
        self.notes("add", "plan", "Buy the moon")
        self.assertEqual(self.notes("show", "plan"), "Buy the moon\n-- Contoso\n")
        self.assertEqual(self.notes("info", "plan"), f"plan: {BOB}, available\n")
        self.assertEqual(
            self.workspace.decode(self.backing_of(notes / "plan")), b"Buy the moon\n-- Contoso\n")
        self.notes("export", "plan", outside, status=REFUSED)
        self.assertFalse(outside.exists())
        # What somebody else puts there is given to the account at the next start.
        self.workspace.write_as(PERSONAL, notes / "found", "by chance")
        self.assertEqual(self.notes("info", "found"), f"found: {PERSONAL}, unmanaged\n")
        self.notes("sign-in", self.workspace.passfile)
        self.assertEqual(self.notes("info", "found"), f"found: {BOB}, available\n")
        listener = subprocess.Popen(
            ["notes", BOB, "listen"], stdout=subprocess.PIPE, text=True,
            env=self.workspace.environment)
        self.assertEqual(listener.stdout.readline(), "open\n")
        self.workspace.lock(BOB)
        self.notes("show", "plan", status=NO)
        self.notes("sign-in", self.workspace.passfile)
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        told = listener.communicate(timeout=90)[0].splitlines()
        self.assertEqual(listener.returncode, DONE)
        for line in (
                "closing in 0 s: save now", "closed: show nothing of them", "open",
                "wiped: forget them"):
            self.assertIn(line, told)
        self.assertEqual(told[-1], "wiped: forget them")
        self.assertEqual(self.notes("info", "plan"), "plan: nobody's\n")

    def test_notes_are_shown_before_something_of_their_account_comes_in(self):
        for account, status in ((BOB, REFUSED), (ANN, DONE)):
            self.workspace.serving("identity ui", "--set", PERSONAL)
            with subprocess.Popen(
                    ["notes", account, "answer"], stdout=subprocess.PIPE, text=True,
                    env=self.workspace.environment) as answering:
                try:
                    self.assertEqual(answering.stdout.readline(), "ready\n")
                    self.workspace.serving(
                        "can url", "https://example.org", "--account", ANN, status=status)
                    if status == DONE:
                        self.assertEqual(
                            answering.stdout.readline(), f"showing the notes of {ANN}\n")
                finally:
                    answering.kill()

    # C and Python

    def files(self):
        self.workspace.write_as(ANN, self.directory / "anns", "x")
        self.workspace.write_as('quoted "name" \\ of@example.org', self.directory / "odd", "x")
        self.workspace.write_as("", self.directory / "nobodys", "x")
        return [self.directory / name for name in ("anns", "odd", "nobodys")]

    def test_c(self):
        owner = self.workspace.root / "owner"
        for compiler in filter(shutil.which, ("clang", "gcc")):
            self.run_program(
                compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", owner,
                EXAMPLES / "c/owner.c")
        files = self.files()
        self.assertEqual(self.run_program(owner, self.workspace.socket, *files).splitlines(), [
            f"{ANN}\tmanaged\tavailable\t{files[0]}",
            f'quoted "name" \\ of@example.org\tunmanaged\tunmanaged\t{files[1]}',
            f"nobody\tunmanaged\tunmanaged\t{files[2]}"])
        self.run_program(owner, self.workspace.socket, self.directory / "missing", status=1)
        self.run_program(owner, self.workspace.root / "no socket", files[0], status=1)
        self.run_program(owner, self.workspace.socket, "--lock")
        try:
            self.assertIn("\tclosed\t", self.run_program(owner, self.workspace.socket, files[0]))
        finally:
            self.workspace.unlock()

    def test_python(self):
        files = self.files()
        program = [sys.executable, "-I", EXAMPLES / "python/owner.py"]
        outside = self.workspace.root / "outside"
        outside.write_text("x")
        self.assertEqual(self.run_program(*program, *files, outside).splitlines(), [
            f"{ANN}\tavailable\tstays\t{files[0]}",
            f'quoted "name" \\ of@example.org\tunmanaged\tmay leave\t{files[1]}',
            f"nobody\tunmanaged\tmay leave\t{files[2]}", f"-\t-\t-\t{outside}"])
        self.run_program(*program, self.directory / "missing", status=1)

    def test_the_small_ones_stay_small(self):
        """In lines that say something: where braces stand is the formatter's."""
        for path in ("c/mam.h", "c/owner.c", "python/owner.py"):
            lines = re.findall(r"^.*\w.*$", (EXAMPLES / path).read_text(), re.MULTILINE)
            self.assertLess(len(lines), 90, path)

    # The guide

    def test_the_guides_swift_is_compiled(self):
        lines = [line.strip() for path in sorted((EXAMPLES / "Notes").glob("*.swift"))
                 for line in path.read_text().splitlines()]
        text = "\n".join(lines)
        blocks = re.findall(
            r"^```swift\n(.*?)^```", (ROOT / "docs/APPS.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            wanted = "\n".join(line.strip() for line in block.strip().splitlines())
            self.assertIn(wanted, text, block)


if __name__ == "__main__":
    unittest.main()
