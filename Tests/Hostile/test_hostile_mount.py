"""What another user tries on a victim's files, through the mount and with descriptors over the
socket."""
import contextlib
import errno
import os
import resource
import socket
import unittest

from bounds import BoundedCase
from hostile import ATTACKER, ATTACKERS_NAME, VICTIM, VICTIMS_NAME, Client, Refusal, as_user

# It times answers.
TIMED = True

SECRET = b"Contoso buys Fabrikam on Monday. " * 200


def errno_of(function, *arguments):
    """0, or the errno with which it fails; in the process that calls."""
    try:
        function(*arguments)
    except OSError as problem:
        return problem.errno
    return 0


class Mount(BoundedCase):
    def setUp(self):
        name = self._testMethodName
        self.private = self.write_as(VICTIM, self.home(VICTIM, name), SECRET)
        # In a directory that both may write to, as /tmp is, and readable by all.
        self.shared = self.write_as(VICTIM, self.workspace.path(name), SECRET)
        os.chmod(self.shared, 0o644)

    def assert_untouched(self):
        for path in (self.private, self.shared):
            self.assertEqual(self.read_as(VICTIM, path), SECRET)
            with Client(self.workspace.socket, VICTIM) as client, open_path(path) as file:
                found = client.call(
                    "Workspace.ProtectionInfo", descriptors=[file], fileDescriptor=0)["protection"]
            self.assertEqual((found["owner"], found["managed"]), (VICTIMS_NAME, True))

    def try_as_attacker(self, function, *arguments):
        return as_user(ATTACKER, lambda: errno_of(function, *arguments))

    def test_a_closed_directory_is_closed_to_all_calls(self):
        for call in (os.stat, os.unlink, os.listxattr, lambda path: os.open(path, os.O_RDONLY),
                     lambda path: os.open(path, os.O_PATH),
                     lambda path: os.link(path, self.home(ATTACKER, "link"))):
            self.assertEqual(self.try_as_attacker(call, self.private), errno.EACCES)
        self.assert_untouched()

    def test_names_in_a_sticky_directory_are_their_owners(self):
        other = self.home(ATTACKER, "other")
        for call in (
                os.unlink, lambda path: os.rename(path, other), lambda path: os.chmod(path, 0o666),
                     lambda path: os.utime(path, (0, 0))):
            self.assertEqual(self.try_as_attacker(call, self.shared), errno.EPERM)
        self.assertEqual(
            self.try_as_attacker(lambda path: os.open(path, os.O_WRONLY | os.O_TRUNC), self.shared),
            errno.EACCES)
        self.assert_untouched()

    def test_owner_and_class_are_no_attributes_that_can_be_set(self):
        for path in (self.shared, self.workspace.mount_point, self.home(ATTACKER)):
            for name, value in (
                    ("user.mam.owner", ATTACKERS_NAME), ("user.mam.class", "D"),
                    ("user.mam.state", "x")):
                with self.subTest(path=path, name=name):
                    self.assertNotEqual(
                        self.try_as_attacker(os.setxattr, path, name, value.encode()), 0)
        self.assert_untouched()

    def test_the_workspaces_own_directory_is_not_there(self):
        hidden = self.workspace.path(".mamd")
        self.assertEqual(self.try_as_attacker(os.listdir, hidden), errno.ENOENT)
        self.assertEqual(self.try_as_attacker(os.mkdir, hidden), errno.EPERM)
        self.assertEqual(self.try_as_attacker(os.rename, self.home(ATTACKER), hidden), errno.EPERM)
        self.assertEqual(
            self.try_as_attacker(os.stat, self.home(ATTACKER, "..", ".mamd", "workspace.json")),
            errno.ENOENT)

    def test_a_descriptor_of_a_readable_file_changes_nothing(self):
        client = self.client(ATTACKER)
        for flags in (os.O_RDONLY, os.O_PATH):
            with open_path(self.shared, flags) as file:
                for method, values in (
                        ("Workspace.SetOwner", {"owner": ATTACKERS_NAME}),
                        ("Workspace.SetOwner", {"owner": ""}),
                        ("Workspace.SetClass", {"class": "D"}),
                        ("Protection.Protect", {"owner": ATTACKERS_NAME}),
                        ("Protection.Protect", {"owner": ""}),
                        ("Protection.VerifyAndProtect", {"owner": ""}),
                        ("Protection.DecryptFile", {}),
                        ("Protection.EncryptFile", {"owner": ATTACKERS_NAME})):
                    with self.subTest(method=method, values=values, flags=flags), \
                            contextlib.suppress(Refusal):
                        client.call(method, descriptors=[file], fileDescriptor=0, **values)
                    self.assert_untouched()
        # The same calls are good for something: whose file it is may make them.
        with open_path(self.shared) as file:
            self.client(VICTIM).call(
                "Workspace.SetOwner", descriptors=[file], fileDescriptor=0, owner="")
        with self.assertRaises(AssertionError):
            self.assert_untouched()

    def test_a_path_that_another_user_names_is_not_opened(self):
        client = self.client(ATTACKER)
        for path in (
                self.private, self.workspace.backing / ".mamd" / "workspace.json", "/etc/shadow"):
            for method in (
                    "Workspace.ProtectionInfo", "Protection.IsFileEncrypted", "Workspace.SetOwner"):
                values = {"owner": ATTACKERS_NAME} if method == "Workspace.SetOwner" else {}
                with self.assertRaises(Refusal):
                    client.call(method, path=str(path), **values)

    def test_a_sealed_copy_is_not_opened_for_another_user(self):
        with open(self.workspace.on_disk(self.shared.name), "rb") as sealed:
            copy = self.home(ATTACKER, "copy")
            self.write_as(ATTACKER, copy, sealed.read())
        reader, writer = os.pipe()
        try:
            for method in ("Workspace.Decrypt", "Protection.UnprotectData"):
                # What is no stream comes out as it went in.
                with open(self.workspace.on_disk(self.shared.name), "rb") as sealed, \
                        contextlib.suppress(Refusal):
                    self.client(ATTACKER).call(
                        method, descriptors=[sealed.fileno(), writer], sourceDescriptor=0,
                        destinationDescriptor=1)
            os.set_blocking(reader, False)
            with contextlib.suppress(BlockingIOError):
                self.assertNotIn(SECRET[:16], os.read(reader, 1 << 16))
        finally:
            os.close(reader)
            os.close(writer)

    def test_a_hard_link_does_not_make_a_file_go_with_the_other_account(self):
        os.chmod(self.shared, 0o666)
        link = self.home(ATTACKER, "link-to-it")
        self.assertEqual(self.try_as_attacker(os.link, self.shared, link), 0)
        with self.client(ATTACKER) as client, contextlib.suppress(Refusal), open_path(link) as file:
            client.call(
                "Workspace.SetOwner", descriptors=[file], fileDescriptor=0, owner=ATTACKERS_NAME)
        os.chmod(self.shared, 0o644)
        self.assert_untouched()

    def test_another_users_account_is_neither_locked_nor_opened_nor_watched(self):
        client = self.client(ATTACKER)
        for method, values in (
                ("Workspace.Lock", {"account": VICTIMS_NAME}),
                ("Workspace.Unlock", {"account": VICTIMS_NAME, "passphrase": self.passphrase}),
                ("Workspace.ChangePassphrase",
                 {"account": VICTIMS_NAME, "passphrase": self.passphrase,
                 "newPassphrase": "x" * 20}),
                ("Workspace.ListSlots", {"account": VICTIMS_NAME}),
                ("Workspace.TestSlot",
                 {"account": VICTIMS_NAME, "passphrase": self.passphrase}),
                ("Workspace.AddSlot",
                 {"account": VICTIMS_NAME, "type": "passphrase", "passphrase": self.passphrase,
                 "newPassphrase": "x" * 20}),
                ("Workspace.RemoveSlot",
                 {"account": VICTIMS_NAME, "slot": "1f0e7d2b", "passphrase": self.passphrase}),
                ("Recovery.ExportKeys", {"account": VICTIMS_NAME, "passphrase": self.passphrase})):
            with self.subTest(method=method), self.assertRaises(Refusal):
                client.call(method, **values)
        # All that the caller may lock: not the victim's.
        client.call("Workspace.Lock", now=True)
        self.assert_untouched()
        client.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)

    def test_descriptors_without_a_call_do_not_fill_the_daemons_table(self):
        before = len(os.listdir(f"/proc/{self.workspace.daemon()}/fd"))
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        # Half a frame each, and as many descriptors with it as the kernel passes at a time.
        clients = [self.client(ATTACKER) for _ in range(24)]
        for client in clients:
            with contextlib.suppress(OSError):
                for _ in range(8):
                    socket.send_fds(client.socket, [b"{"], [0] * 253)
        self.assert_bounded()
        held = len(os.listdir(f"/proc/{self.workspace.daemon()}/fd")) - before
        self.assertLess(held, 24 * 10)
        for client in clients:
            client.close()


@contextlib.contextmanager
def open_path(path, flags=os.O_PATH):
    file = os.open(path, flags)
    try:
        yield file
    finally:
        os.close(file)


if __name__ == "__main__":
    unittest.main()
