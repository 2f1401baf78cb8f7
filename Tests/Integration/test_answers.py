"""Each cause for which a file is refused: open(2), `info` and every verb tell the same."""
import errno
import json

from test_contained import RESTRICTED, SECRET
from workspace import ANN, BOB, DONE, PERSONAL, REFUSED, SETTINGS, WorkspaceCase

MISSING, CLOSED, DAMAGED, USAGE = 3, 5, 7, 2
TO_ALL = {"displayName": "to all", "pinRequired": False,
          "appDataEncryptionType": "whenDeviceLocked",
          "allowedOutboundDataTransferDestinations": "allApps"}


class Cause(WorkspaceCase):
    """A file that this program may not use, because of `sentence`."""

    settings = {**SETTINGS, "MultiManagedIdentities": True}
    policy = TO_ALL
    errno, status, sentence = 0, 0, ""
    # What `info` says in one word, and its status.
    state, info_status = "refused", DONE
    # Verbs that have no reason to refuse it, or another one.
    others = ()

    def prepare(self):
        """Returns the file; the cause is there from then on."""
        raise NotImplementedError

    def sealed(self, account=ANN):
        path = self.directory / "plan.txt"
        self.workspace.write_as(account, path, SECRET.decode())
        return path

    def verbs(self, path):
        out = self.workspace.root / "out"
        return {
            "decrypt": ("decrypt", path),
            "decrypt -o FILE": ("decrypt", path, "-o", out),
            "decrypt -o -": ("decrypt", path, "-o", "-"),
            "encrypt -o FILE": ("encrypt", path, "--owner", ANN, "-o", out),
            "encrypt -o -": ("encrypt", path, "--owner", ANN, "-o", "-"),
            "data protect": ("data protect", path, "--owner", ANN, "-o", out),
            "data unprotect": ("data unprotect", path, "-o", out),
            "data info": ("data info", path),
            "provider fetch": ("provider fetch", path, out, "--owner", ANN),
            "provider import": ("provider import", path, out, "--owner", ANN),
            "policy check": ("policy check", path),
            "protect": ("protect", path, "--owner", PERSONAL, "--unmanaged"),
            "owner --set": ("owner", path, "--set", PERSONAL, "--unmanaged"),
        }

    def check(self):
        path = self.prepare()
        with self.assertRaises(OSError) as caught:
            open(path, "rb").close()
        self.assertEqual(errno.errorcode[caught.exception.errno], errno.errorcode[self.errno])
        with self.subTest("info"):
            info = self.workspace.info(path, status=self.info_status)
            self.assertEqual(info["state"], self.state)
            self.assertEqual(info["refusal"]["status"], self.status)
            self.assertIn(self.sentence, info["refusal"]["message"])
            text = self.workspace.ctl("info", path, status=self.info_status)
            self.assertIn(self.sentence, " ".join((text.stdout + text.stderr).split()))
        refusal = info["refusal"]
        for name, words in self.verbs(path).items():
            if name in self.others:
                continue
            with self.subTest(name):
                said = self.workspace.ctl(*words, status=self.status)
                self.assertIn(refusal["message"], said.stderr)
                if refusal["next"]:
                    self.assertIn(refusal["next"], said.stderr)


class Locked(Cause):
    errno, status, state = errno.ENOKEY, CLOSED, "closed"
    sentence = f"account '{ANN}' is locked"

    def prepare(self):
        path = self.sealed()
        self.workspace.lock()
        return path

    def test_all_say_the_same(self):
        self.check()


class Blocked(Cause):
    """Policy closes the account."""

    errno, status, state = errno.EACCES, CLOSED, "closed"
    sentence = f"account '{ANN}' is blocked: deviceComplianceRequired cannot be evaluated"

    def prepare(self):
        path = self.sealed()
        (document,) = self.workspace.policies.glob("*.json")
        document.write_text(json.dumps({**TO_ALL, "deviceComplianceRequired": True}))
        self.workspace.ctl("account check-in", "--workspace", self.workspace.name)
        return path

    def test_all_say_the_same(self):
        self.check()


class ContainedOnly(Cause):
    settings = {**Cause.settings, "Containment": "required"}
    policy = RESTRICTED
    errno, status = errno.EACCES, REFUSED
    sentence = (f"it belongs to {ANN}, whose policy (allowedOutboundDataTransferDestinations) keeps"
                " it to its own contained programs")

    def prepare(self):
        return self.workspace.write_contained(self.directory / "plan.txt", SECRET)

    def test_all_say_the_same(self):
        self.check()


class ContainedOnlyAsItMayBeSent(ContainedOnly):
    """Another rule of the same kind."""

    policy = {**TO_ALL, "saveAsBlocked": True}
    sentence = f"it belongs to {ANN}, whose policy (saveAsBlocked) keeps it to its own contained"


class OthersIdentity(Cause):
    """The send rule: this program works for another account."""

    accounts = (ANN, BOB)
    settings = {**Cause.settings, "Containment": "off"}
    policy = RESTRICTED
    errno, status = errno.EACCES, REFUSED
    sentence = (f"it belongs to {BOB}, whose policy shares nothing with {ANN}"
                " (allowedOutboundDataTransferDestinations)")
    def prepare(self):
        return self.sealed(BOB)

    def test_all_say_the_same(self):
        self.check()


class Foreign(Cause):
    """Without a header, where the settings refuse that."""

    settings = {**Cause.settings, "ForeignFiles": "refuse"}
    errno, status = errno.EACCES, REFUSED
    sentence = "it has no protection header, and the setting ForeignFiles refuses that"
    # They take it in, or find nothing to open.
    others = ("decrypt", "decrypt -o FILE", "decrypt -o -", "protect", "owner --set")

    def prepare(self):
        path = self.directory / "foreign"
        self.backing_of(path).write_bytes(b"from a sync service\n")
        return path

    def test_all_say_the_same(self):
        self.check()


class Damaged(Cause):
    errno, status, state, info_status = errno.EBADMSG, DAMAGED, "damaged", DAMAGED
    sentence = "the header's checksum is wrong"

    def prepare(self):
        path = self.sealed()
        self.workspace.unmount()
        change(self.backing_of(path), 600, b"\xff" * 8)
        self.workspace.mount()
        self.workspace.unlock()
        return path

    def test_all_say_the_same(self):
        self.check()


class Newer(Cause):
    errno, status, state, info_status = errno.EOPNOTSUPP, USAGE, "newer", USAGE
    sentence = "it has format version"

    def prepare(self):
        path = self.sealed()
        self.workspace.unmount()
        change(self.backing_of(path), 8, b"\x02")
        self.workspace.mount()
        self.workspace.unlock()
        return path

    def test_all_say_the_same(self):
        self.check()


class KeyMissing(Cause):
    """Sealed with a key that is not here."""

    errno, status, state = errno.ENOKEY, MISSING, "keyMissing"
    sentence = f"it is encrypted for {ANN}, and its key is not on this device"

    def prepare(self):
        path = self.sealed()
        copy = self.backing_of(path).read_bytes()
        self.workspace.ctl("account deregister", ANN, "--wipe", "--confirm", ANN,
                           "--workspace", self.workspace.name)
        self.directory.mkdir(exist_ok=True)
        self.workspace.register()
        self.workspace.unmount()
        self.backing_of(path).write_bytes(copy)
        self.workspace.mount()
        self.workspace.unlock()
        return path

    def test_all_say_the_same(self):
        self.check()


def change(path, offset, content):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(content)
