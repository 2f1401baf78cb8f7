"""Every call on the disk below fails in turn, during verbs that write or change something there:
done, or told truthfully, and afterwards it can be done. Root only."""
import errno
import itertools
import json
import os
import shutil
import sys
import unittest

from leave_case import content
from wipe_tree import key_ids, keybag_files, owned
from workspace import ANN, BOB, DONE, LONG, ROOT, Workspace, pattern, wait_until

sys.path.insert(0, str(ROOT / "Tests" / "Crash"))
from recorder import AS_ROOT, Recorder

SHORT = 0
ERRORS = {"EIO": errno.EIO}
if LONG:
    ERRORS.update(
        ENOSPC=errno.ENOSPC, EDQUOT=errno.EDQUOT, EROFS=errno.EROFS, ESTALE=errno.ESTALE,
        short=SHORT)
OLD, NEW = pattern(30_000, 1), pattern(50_000, 2)
# What is there although its directory could not be synced.
WRITTEN, REMOVED = "may not survive a power cut", "may be back after a power cut"


@AS_ROOT
class Verbs(unittest.TestCase):
    """The backing directory, the state, the policies and the outputs are on that disk."""

    @classmethod
    def setUpClass(cls):
        place = Workspace()
        cls.addClassCleanup(place.close)
        cls.disk = place.root / "disk"
        cls.recorder = Recorder(place.root / "source", cls.disk, "/dev/null")
        cls.addClassCleanup(cls.recorder.stop)
        cls.workspace = workspace = Workspace()
        cls.addClassCleanup(workspace.close)
        workspace.backing.rmdir()
        workspace.backing = cls.disk / "backing"
        workspace.backing.mkdir(mode=0o700)
        for name in ("config_home", "state_home"):
            (workspace.root / name).rmdir()
            (cls.disk / name).mkdir(mode=0o700)
            (workspace.root / name).symlink_to(cls.disk / name)
        workspace.init().mount().register(extra=["--no-passphrase"])
        cls.addClassCleanup(workspace.unmount)
        cls.numbers = itertools.count()

    def fail_each_call(self, verb, prepare):
        """`prepare` makes what the verb is about in a directory of the disk's; it returns what runs
        the verb, and what checks its result: after an error, with the run that nothing disturbs."""
        for error, number in ERRORS.items():
            for nth in range(1, 100):
                place = self.disk / f"{next(self.numbers):04}"
                place.mkdir()
                run, check = prepare(place)
                self.recorder.fail("any", nth, number, times=1)
                result = run()
                reached = self.recorder.calls >= nth
                self.recorder.count()
                said = result.stdout + result.stderr
                with self.subTest(verb=verb, error=error, call=nth, said=said):
                    if not reached:
                        self.assertEqual(result.returncode, DONE)
                    check(result.returncode != DONE, said)
                shutil.rmtree(place)
                if not reached:
                    break

    def output(self, words, is_new, old=OLD, again=True):
        """A verb that writes the file OUT, over `old` if there is any. `again`: once more after
        each failure, which is also what the next call's turn begins with."""
        def prepare(place):
            out = place / "out"
            if old:
                out.write_bytes(old)

            def run():
                return self.workspace.ctl(
                    *(out if word == "OUT" else word for word in words), status=None)

            def check(failed, said):
                found = out.read_bytes() if out.exists() else None
                self.assertEqual([path for path in place.iterdir() if path != out], [])
                if not failed or WRITTEN in said:
                    self.assertTrue(is_new(found), "it is not whole")
                    return
                self.assertEqual(found, old)
                if again:
                    result = run()
                    self.assertEqual(result.returncode, DONE, result.stderr)

            return run, check

        return prepare

    def test_outputs(self):
        workspace, source = self.workspace, self.workspace.root / "source"
        sealed, here = workspace.root / "sealed", workspace.path("here")
        source.write_bytes(NEW)
        here.write_bytes(NEW)
        workspace.serving("encrypt", source, "--owner", ANN, "-o", sealed)
        phrase = workspace.secret("phrase", "which opens an export")
        of_workspace = ("--workspace", workspace.name)

        def opens(found):
            (workspace.root / "found").write_bytes(found)
            back = workspace.root / "back"
            workspace.serving("decrypt", workspace.root / "found", "-o", back, "--force")
            return back.read_bytes() == NEW

        for words, is_new in (
                (("decrypt", sealed, "-o", "OUT", "--force"), NEW.__eq__),
                (("encrypt", source, "--owner", ANN, "-o", "OUT", "--force"), opens),
                (("provider", "import", here, "OUT", "--force"), NEW.__eq__),
                (("account", "export", ANN, "-o", "OUT", "--force", "--export-passfile", phrase),
                 lambda found: found.startswith(b"\x89MAM"))):
            # Each export costs a second of Argon2id.
            self.fail_each_call(words[:2], self.output(
                (*words, *of_workspace), is_new, again="export" not in words))
        self.fail_each_call("recovery keygen", self.output(
            ("recovery", "keygen", "-o", "OUT", "--no-passphrase"), bool, old=None))

    def test_leave(self):
        tree = self.workspace.path("tree")
        (tree / "inner").mkdir(parents=True)
        for path, data in ((tree / "one", OLD), (tree / "inner" / "two", NEW)):
            path.write_bytes(data)
        (tree / "link").symlink_to("one")
        tree.chmod(0o555)
        os.sync()
        whole = content(tree)

        def prepare(place):
            def run():
                return self.workspace.serving(
                    "leave", self.workspace.on_disk("tree"), place / "files", status=None)

            def check(failed, _):
                if failed:
                    again = run()
                    self.assertEqual(again.returncode, DONE, again.stderr)
                self.assertTrue(content(place / "files") == whole, "it is not whole")
                self.assertEqual([path.name for path in place.iterdir()], ["files"])

            return run, check

        self.fail_each_call("leave", prepare)
        self.assertTrue(content(tree) == whole, "the original is another")

    def test_policy_import(self):
        (policy,) = self.workspace.policies.iterdir()
        source = self.workspace.root / "document.json"

        def prepare(place):
            old = policy.read_bytes()
            new = json.dumps({**json.loads(old), "displayName": f"the policy {place.name}"})
            source.write_text(new)

            def run():
                return self.workspace.serving(
                    "policy import", source, "--name", policy.name, status=None)

            def check(failed, said):
                is_stored = not failed or WRITTEN in said
                self.assertEqual(list(self.workspace.policies.iterdir()), [policy])
                self.assertEqual(policy.read_bytes() == new.encode(), is_stored)
                shown = self.workspace.serving("policy show", ANN).stdout
                self.assertEqual(f"the policy {place.name}" in shown, is_stored)
                self.assertEqual(run().returncode, DONE)

            return run, check

        self.fail_each_call("policy import", prepare)

    def test_wipe(self):
        workspace, path = self.workspace, self.workspace.path("bobs")

        def prepare(_):
            # Each of the others ends with the account wiped.
            workspace.register(BOB, extra=["--no-passphrase"])
            workspace.write_as(BOB, path, "of Bob's")
            os.sync()
            keys, account_id = key_ids(workspace, BOB), workspace.account(BOB)["id"]

            def run():
                return workspace.serving("wipe", BOB, "--confirm", BOB, status=None)

            def check(failed, said):
                if failed and "not complete" not in said:
                    # It was not decided: all is there, and a start changes nothing.
                    workspace.unmount()
                    workspace.mount()
                    self.assertEqual(path.read_text(), "of Bob's")
                    self.assertEqual(run().returncode, DONE)
                elif failed:
                    with self.assertRaises(OSError):
                        path.read_bytes()
                    workspace.unmount()
                    workspace.mount()
                    wait_until(lambda: not keybag_files(workspace, account_id))
                self.assertIsNone(workspace.account(BOB))
                self.assertEqual(owned(workspace, keys), [])
                self.assertEqual(keybag_files(workspace, account_id), [])

            return run, check

        self.fail_each_call("wipe", prepare)

    def test_init(self):
        workspace, mounted = self.workspace, []

        def prepare(place):
            backing, mount_point = place / "backing", workspace.root / place.name
            backing.mkdir(mode=0o700)
            mount_point.mkdir()
            (backing / "file").write_bytes(OLD)
            name = f"new{place.name}"

            def run():
                return workspace.ctl(
                    "init", backing, "--name", name, "--adopt", "--settings", workspace.settings,
                    status=None)

            def check(failed, _):
                if failed:
                    again = run()
                    self.assertTrue(
                        again.returncode == DONE or "is already a workspace" in again.stderr,
                        again.stderr)
                self.assertEqual((backing / "file").read_bytes(), OLD)
                # What has mounted once, but for its id and name, need not again.
                made = {
                    (path.name.replace(name, ""), path.stat().st_mode, path.stat().st_size)
                    for root in (backing, *(
                        self.disk / home / "mamd" / name for home in ("config_home", "state_home")))
                    for path in (root, *root.rglob("*"))}
                if made in mounted:
                    return
                mounted.append(made)
                workspace.ctl("mount", backing, mount_point)
                self.assertEqual((mount_point / "file").read_bytes(), OLD)
                workspace.ctl("unmount", mount_point)

            return run, check

        self.fail_each_call("init", prepare)

    def test_mount(self):
        """A rename that fails once is not a file system that renames nothing."""
        self.workspace.path("file").write_bytes(OLD)
        for nth in range(1, 100):
            self.workspace.unmount()
            self.recorder.fail("rename", nth, errno.EIO, times=1)
            result = self.workspace.ctl(
                "mount", self.workspace.backing, self.workspace.mount_point, status=None)
            reached = self.recorder.calls >= nth
            self.recorder.count()
            with self.subTest(call=nth):
                self.assertNotIn("renames no files", result.stderr)
            if result.returncode != DONE:
                self.workspace.mount()
            self.assertEqual(self.workspace.path("file").read_bytes(), OLD)
            if not reached:
                break
        self.assertGreater(nth, 1)

    def test_workspace_remove(self):
        def prepare(place):
            name, backing = f"other{place.name}", place / "backing"
            backing.mkdir(mode=0o700)
            self.workspace.ctl(
                "init", backing, "--name", name, "--settings", self.workspace.settings)
            (backing / "file").write_bytes(OLD)
            kept = [self.disk / home / "mamd" / name for home in ("config_home", "state_home")]

            def run():
                return self.workspace.ctl(
                    "workspace", "remove", name, "--confirm", name, status=None)

            def check(failed, said):
                listed = name in self.workspace.ctl("workspace", "list").stdout
                if not listed:
                    self.assertTrue(not failed or REMOVED in said)
                else:
                    self.assertTrue(failed)
                    again = run()
                    self.assertEqual(again.returncode, DONE, again.stderr)
                self.assertEqual([path for path in kept if path.exists()], [])
                self.assertEqual((backing / "file").read_bytes(), OLD)

            return run, check

        self.fail_each_call("workspace remove", prepare)


if __name__ == "__main__":
    unittest.main()
