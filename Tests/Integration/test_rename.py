"""Another name for a workspace, also where the rename is killed between two steps."""
import json
import os
import shutil
import subprocess
import unittest

from workspace import ANN, DONE, NOT_FOUND, NO, REFUSED, USAGE, Workspace

NEEDS = ("strace",)

# Each changes a name. The kernel does them, or they fail as the process is killed.
STEPS = ("symlink", "rename", "renameat", "renameat2", "unlink", "unlinkat")


class Rename(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace().init().mount().register()
        self.addCleanup(self.workspace.close)
        (self.workspace.mount_point / "file").write_text("sealed")

    def rename(self, old="work", new="contoso", status=DONE, prefix=()):
        return self.workspace.ctl("workspace", "rename", old, new, status=status, prefix=prefix)

    def check(self, name):
        """All of it is there under that name, and nothing under the other."""
        self.workspace.name = name
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual((self.workspace.mount_point / "file").read_text(), "sealed")
        self.assertEqual(self.workspace.owner(self.workspace.mount_point / "file"), ANN)
        self.workspace.unmount()

    def names(self):
        return [
            os.listdir(self.workspace.root / root / "mamd") for root in (
                "config_home", "state_home")]

    def test_everything_has_the_new_name(self):
        said = self.rename(status=NO).stderr
        self.assertIn("workspace 'work' is mounted, or being checked", said)
        self.workspace.unmount()
        fleet = self.workspace.root / "state_home" / "mamfleet" / "work"
        fleet.mkdir(parents=True)
        (fleet / "transport.nk").touch()
        self.assertEqual(self.rename().stdout, "work: its name is contoso now\n")
        self.assertEqual(self.names(), [["contoso"], ["contoso"]])
        self.assertEqual(os.listdir(fleet.parent), ["contoso"])
        self.check("contoso")
        told = json.loads(
            self.workspace.ctl("workspace", "rename", "--json", "contoso", "work").stdout)
        self.assertEqual(told, {"name": "work", "former": "contoso", "next": []})
        self.check("work")

    def test_what_is_no_new_name_is_refused(self):
        self.workspace.unmount()
        other = self.workspace.root / "other-backing"
        self.workspace.ctl("init", other, "--name", "other")
        for old, new, status, reason in (
                ("work", "other", NO, "the name 'other' is in use"),
                ("work", "work", USAGE, "both names are 'work'"),
                ("work", "-x/", USAGE, "is not a valid workspace name"),
                ("none", "third", NOT_FOUND, "there is no workspace 'none'"),
                ("none", "other", NOT_FOUND, "there is no workspace 'none'")):
            words = ["workspace", "rename", "--", old, new]
            self.assertIn(reason, self.workspace.ctl(*words, status=status).stderr)
        self.workspace.backing.rename(self.workspace.root / "unplugged")
        self.assertIn("cannot be read, and has the name too", self.rename(status=NO).stderr)
        (self.workspace.root / "unplugged").rename(self.workspace.backing)
        self.check("work")

    def test_a_policy_that_names_it_is_not_escaped(self):
        self.workspace.unmount()
        for name, encoding in (("Work", "utf-8"), ("contoso", "utf-8"), ("work", "utf-16")):
            (self.workspace.policies / "named.json").write_bytes(json.dumps(
                {"apps": [{"mobileAppIdentifier": {"bundleId": name}}]}).encode(encoding))
            said = self.rename(status=REFUSED).stderr
            self.assertIn(f"named.json covers the workspace '{name}' by its name", said)
        (self.workspace.policies / "named.json").unlink()
        self.check("work")

    def test_units_are_told_or_renamed(self):
        self.workspace.unmount()
        wants = self.workspace.root / "config_home" / "systemd" / "user" / "default.target.wants"
        if os.getuid() == 0:
            self.skipTest("root's units are the machine's: test_setup has a machine")
        wants.mkdir(parents=True)
        (wants / "mamd@work.service").symlink_to("/usr/lib/systemd/user/mamd@.service")
        said = self.rename().stdout
        self.assertIn("next: systemctl --user enable mamd@contoso.service", said)

    @unittest.skipUnless(shutil.which("strace"), "strace kills between the steps")
    def test_a_kill_at_any_step_leaves_a_name_that_works(self):
        self.workspace.unmount()
        count = 0
        for step in STEPS:
            for call in range(1, 8):
                # Killed instead of the step, and after it.
                for inject in (f"{step}:error=EIO:signal=KILL:when={call}",
                               f"{step}:signal=KILL:when={call}"):
                    for check in (self.one_works, self.the_next_finishes):
                        (old, new) = (self.workspace.name, f"name{count}")
                        count += 1
                        strace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e")
                        result = self.rename(
                            old, new, status=None, prefix=(*strace, f"inject={inject}"))
                        with self.subTest(inject, killed=result.returncode != 0):
                            if result.returncode == 0:
                                self.workspace.name = new
                            else:
                                check(old, new)
                        self.assertEqual(self.names(), [[self.workspace.name]] * 2)
                if result.returncode == 0:
                    break
        self.check(self.workspace.name)
        print(f"{count} renames", flush=True)
        self.assertGreater(count, 30)

    @unittest.skipUnless(shutil.which("strace"), "strace makes a step fail")
    def test_an_unfinished_one_is_neither_listed_nor_removed(self):
        self.workspace.unmount()
        strace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e")
        self.rename(status=NO, prefix=(*strace, "inject=renameat2:error=EPERM:when=1"))
        listed = json.loads(self.workspace.ctl("workspace", "list", "--json").stdout)
        self.assertEqual([each["name"] for each in listed], ["contoso"])
        for name in ("work", "contoso"):
            said = self.workspace.ctl(
                "workspace", "remove", name, "--confirm", name, status=NO).stderr
            self.assertIn("the rename of the workspace 'work' is not finished", said)
            self.assertIn("try: mamctl workspace rename work contoso", said)
        for pair in (("work", "third"), ("contoso", "third")):
            self.assertIn("is not finished", self.rename(*pair, status=NO).stderr)
        self.rename()
        self.check("contoso")

    @unittest.skipUnless(shutil.which("strace"), "strace makes a step fail")
    def test_a_file_system_that_cannot_exchange_names(self):
        self.workspace.unmount()
        strace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e")
        for error in ("EINVAL", "ENOSYS", "EOPNOTSUPP"):
            said = self.rename(
                status=NO, prefix=(*strace, f"inject=renameat2:error={error}")).stderr
            self.assertIn("its file system cannot exchange two names; the name stays", said)
            self.assertEqual(self.names(), [["work"], ["work"]])
            self.check("work")

    def one_works(self, old, new):
        """Under one name or the other, and then the rename is finished or done once more."""
        mounted = [name for name in (old, new) if self.is_mounted_as(name) and self.is_whole(name)]
        self.assertEqual(len(mounted), 1)
        self.rename(old, new, status=(DONE, NOT_FOUND) if mounted == [new] else DONE)
        self.check(new)

    def the_next_finishes(self, old, new):
        self.rename(old, new)
        self.check(new)

    def is_mounted_as(self, name):
        return subprocess.run(
            ["mamctl", "mount", "--name", name, self.workspace.backing,
             self.workspace.mount_point], env=self.workspace.environment,
            capture_output=True).returncode == 0

    def is_whole(self, name):
        self.workspace.name = name
        self.workspace.unlock()
        self.assertEqual((self.workspace.mount_point / "file").read_text(), "sealed")
        self.workspace.unmount()
        return True
