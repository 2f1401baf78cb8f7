"""Every call on the disk below fails in turn, during every operation: the file is old or new, and
the caller hears of it."""
import errno
import itertools
import shutil
import sys
import unittest

import fault_operations as table
from fault_outcomes import Failed, Outcome, Place
from socket_client import Client, Refusal
from workspace import BOB, DONE, LONG, ROOT, Workspace

sys.path.insert(0, str(ROOT / "Tests" / "Crash"))
from crash_programs import Mamd
from recorder import AS_ROOT, Recorder

SHORT = 0
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "a short write": SHORT}
if LONG:
    # It goes where ENOSPC goes.
    ERRORS["EDQUOT"] = errno.EDQUOT


@AS_ROOT
class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        root = Workspace()
        cls.addClassCleanup(root.close)
        cls.program = Mamd(root.root / "program")
        cls.addClassCleanup(cls.program.close)
        cls.recorder = Recorder(root.root / "source", cls.program.disk, "/dev/null")
        cls.addClassCleanup(cls.recorder.stop)
        cls.program.create()
        cls.addClassCleanup(cls.program.stop)
        cls.program.workspace.register(BOB, extra=["--no-passphrase"])
        cls.numbers = itertools.count()

    def setUp(self):
        self.outcomes = []

    def tearDown(self):
        """What the kernel remembered is gone: all is old or new on the disk."""
        self.program.workspace.unmount()
        self.program.start()
        for outcome in self.outcomes:
            found = outcome.place.snapshot()
            with self.subTest("after a new mount", operation=outcome.operation):
                self.assertTrue(outcome.is_fine(found), outcome.describe(found))
            shutil.rmtree(outcome.place.directory)

    def place(self, **options):
        return Place(self.program, f"{next(self.numbers)}", **options)

    def fail_each_call(self, operations, **options):
        """Runs each operation with its first, second, … call below failing, until it has no more
        calls."""
        for name, operation in operations.items():
            reference = self.place(**options)
            operation(reference)
            new = reference.snapshot()
            for error, number in ERRORS.items():
                for nth in range(1, 100):
                    reached = True
                    with self.subTest(operation=name, error=error, call=nth):
                        reached = self.fail_one_call(name, operation, new, nth, number, options)
                    if not reached:
                        break

    def fail_one_call(self, name, operation, new, nth, number, options):
        """False if there is no such call."""
        place = self.place(**options)
        old = place.snapshot()
        self.recorder.fail("any", nth, number, times=1)
        problem = None
        try:
            operation(place)
        except (OSError, Failed) as caught:
            problem = caught
        reached = self.recorder.calls >= nth
        self.recorder.count()
        found = place.snapshot()
        outcome = Outcome(name, place, old, new, problem)
        if not reached:
            self.assertIsNone(problem)
            self.assertTrue(found == new, outcome.describe(found))
            return False
        self.outcomes.append(outcome)
        if isinstance(problem, OSError):
            # The kernel knows two reasons why what it had cached could not be stored.
            self.assertIn(problem.errno, (number, errno.EIO))
        self.assertTrue(found == new or problem, "it failed, and nobody was told")
        self.assertTrue(outcome.is_fine(found, remembered=True), outcome.describe(found))
        if found == old:
            self.do_again(operation, place, problem)
            self.assertTrue(place.snapshot() == new, "afterwards it does not work")
        return True

    def do_again(self, operation, place, problem):
        # While the file is in use a failed sync of the first time is told once more, to who syncs.
        self.program.workspace.await_closed()
        try:
            operation(place)
        except OSError as again:
            again.add_note(f"the second time; the first time: {problem!r}")
            raise

    def test_accounts(self):
        """Old keys or new ones: never none, and no doubt about which."""
        for error, number in ERRORS.items():
            for nth in range(1, 100):
                reached = True
                with self.subTest(error=error, call=nth):
                    reached = self.fail_one_call_of_account(
                        f"{next(self.numbers)}@contoso.com", nth, number)
                if not reached:
                    break

    def fail_one_call_of_account(self, account, nth, number):
        with Client(self.program.workspace.socket) as client:
            def does(method, **parameters):
                try:
                    return client.call(f"Workspace.{method}", **parameters)
                except Refusal:
                    return None

            self.recorder.fail("any", nth, number, times=1)
            made = does("RegisterAccount", name=account, passphrase="one")
            changed = does(
                "ChangePassphrase", account=account, passphrase="one", newPassphrase="two")
            reached = self.recorder.calls >= nth
            self.recorder.count()
            if not made:
                client.call("Workspace.RegisterAccount", name=account, passphrase="one")
            client.call("Workspace.Lock", account=account, now=True)
            client.call(
                "Workspace.Unlock", account=account,
                passphrase="two" if made and changed else "one")
            # Each call takes the longer the more accounts there are.
            client.call("Enrollment.Deregister", account=account, wipe=True, confirmed=True)
        return reached

    def test_outside(self):
        """`encrypt` and `decrypt` on the failing disk: whole, or not at all."""
        source = self.program.place / "source"
        source.write_bytes(table.OLD)
        for error, number in ERRORS.items():
            for nth in range(1, 100):
                disk = self.program.disk / f"outside-{next(self.numbers)}"
                disk.mkdir()
                with self.subTest(error=error, call=nth):
                    self.recorder.fail("any", nth, number, times=1)
                    codes = self.encrypt_and_decrypt(source, disk)
                    reached = self.recorder.calls >= nth
                    self.recorder.count()
                    self.check_outside(disk, codes)
                shutil.rmtree(disk)
                if not reached:
                    break

    def encrypt_and_decrypt(self, source, disk):
        ctl = self.program.workspace.ctl
        first = ctl("encrypt", source, "--owner", BOB, "-o", disk / "sealed", status=None)
        second = ctl("decrypt", disk / "sealed", "-o", disk / "plain", status=None)
        return first.returncode, second.returncode

    def check_outside(self, disk, codes):
        names = {path.name for path in disk.iterdir()}
        done = {name for name, code in zip(("sealed", "plain"), codes) if code == DONE}
        self.assertLessEqual(done, names)
        self.assertLessEqual(names, {"sealed", "plain"})
        if "plain" in names:
            self.assertEqual((disk / "plain").read_bytes(), table.OLD)
        elif "sealed" in names:
            self.program.workspace.ctl("decrypt", disk / "sealed", "-o", disk / "again")
            self.assertEqual((disk / "again").read_bytes(), table.OLD)

    def test_content(self):
        self.fail_each_call(table.CONTENT)

    def test_names(self):
        self.fail_each_call(table.NAMES)

    def test_owners_and_classes(self):
        self.fail_each_call(table.WORKSPACE)

    def test_unmanaged(self):
        self.fail_each_call(table.UNMANAGED, unmanaged=True)
