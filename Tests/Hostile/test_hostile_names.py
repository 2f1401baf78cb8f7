"""Claims of names, keys and directories, to get at what others have under them, and wipes that
nobody confirmed."""
import ctypes
import ctypes.util
import json
import os
import pathlib
import socket
import struct
import sys
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import decoder
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIM, VICTIMS_NAME, Client, HostileCase, Refusal)

NEEDS = ("python3-cryptography",)

CEO = "ceo@contoso.com"
CONFIGURATION = {
    "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "displayName": "names",
    "customSettings": [{"name": "token", "value": "secret"}]}


def header(owner, key=None):
    """A header as docs/FORMAT.md has it, plain or of class D under a key that is not here."""
    name = owner.encode()
    data = bytearray(1024)
    struct.pack_into("<8sHBB", data, 0, decoder.FILE_MAGIC, 1, 1 if key else 0, 4 if key else 0)
    data[16:32] = os.urandom(16)
    if key:
        data[32:48], data[672:736] = key, os.urandom(64)
    struct.pack_into("<H", data, 48, len(name))
    data[64:64 + len(name)] = name
    data[1020:] = decoder.checksum(bytes(data[:1020]))
    return bytes(data)


def stretch(passphrase, salt):
    """Argon2id as cheap as it goes."""
    out = ctypes.create_string_buffer(32)
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
    assert sodium.crypto_pwhash(
        out, ctypes.c_ulonglong(32), passphrase, ctypes.c_ulonglong(len(passphrase)), salt,
        ctypes.c_ulonglong(1), ctypes.c_size_t(8192), 2) == 0
    return out.raw


def forged_export(name, key_of_class_d, passphrase="export"):
    """Keys of the forger's own making, under an id of somebody else's."""
    account, keys = os.urandom(16), [os.urandom(32) for _ in range(4)]
    ids = [os.urandom(16) for _ in range(3)] + [key_of_class_d]
    salt = os.urandom(16)
    text = name.encode()
    fields = struct.pack(
        "<8sHB5s16sQQHHIQ", decoder.EXPORT_MAGIC, 1, 1, bytes(5), account, 1, 0, len(text), 0, 1,
        8192)
    fields += text.ljust(512, b"\0") + bytes(64) + salt + decoder.public_half(keys[1]) + b"".join(
        ids) + bytes(64)
    nonce = os.urandom(16)
    fields += nonce
    key = decoder.derive(
        stretch(passphrase.encode(), salt), account, b"mamd key export passphrase v1")
    data = fields + AESGCM(key).encrypt(nonce, b"".join(keys), fields)
    data += decoder.derive(keys[3], account, data)[:16] + bytes(28)
    return data + struct.pack("<I", zlib.crc32(data))


class Writer:
    """A process that works for an identity, and writes a file each time it is told to."""

    def __init__(self, case, uid, identity):
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.orders.close()
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                with Client(case.workspace.socket) as client:
                    client.call("Identity.SetProcessIdentity", identity=identity)
                    theirs.send(b"ready")
                    while order := theirs.recv(4096):
                        try:
                            pathlib.Path(os.fsdecode(order)).write_bytes(b"precious")
                            theirs.send(b"0")
                        except OSError as problem:
                            theirs.send(str(problem.errno).encode())
            finally:
                os._exit(0)
        theirs.close()
        case.addCleanup(self.end)
        case.assertEqual(self.orders.recv(16), b"ready")

    def write(self, path):
        self.orders.send(os.fsencode(path))
        return int(self.orders.recv(16))

    def end(self):
        self.orders.close()
        os.waitpid(self.pid, 0)


class NamesCase(HostileCase):
    def refused(self, uid, method, descriptors=(), why="Refused", **parameters):
        with self.assertRaises(Refusal) as caught:
            self.client(uid).call(method, descriptors, **parameters)
        self.assertEqual(caught.exception.name, why, caught.exception)
        return str(caught.exception)

    def register(self, uid, name, **parameters):
        return self.client(uid).call(
            "Workspace.RegisterAccount", name=name, passphrase=self.passphrase, **parameters)

    def refuse_registration(self, uid, name, **parameters):
        parameters |= {"name": name, "passphrase": self.passphrase}
        self.assertFalse(
            self.client(uid).call("Enrollment.Register", **parameters)["status"]["didSucceed"])
        return self.refused(uid, "Workspace.RegisterAccount", **parameters)

    def wipe(self, uid, name):
        return self.client(uid).call("Workspace.Wipe", account=name, confirmed=True)

    def restored(self, uid, name, data):
        """A file that root's backup tool puts back while the workspace is mounted."""
        path = self.workspace.on_disk(f"home{uid}", name)
        path.write_bytes(data)
        path.chmod(0o600)
        os.chown(path, uid, uid)
        return path

    def tell_configuration(self):
        self.client(0).call("Policy.Import", name="names.json", document=json.dumps(CONFIGURATION))

    def info(self, path):
        file = os.open(path, os.O_PATH)
        try:
            return self.client(0).call("Workspace.ProtectionInfo", [file], fileDescriptor=0)[
                "protection"]
        finally:
            os.close(file)

    def import_keys(self, uid, export):
        path = self.workspace.root / f"{self._testMethodName}.keys"
        path.write_bytes(export)
        with open(path, "rb") as file:
            return self.client(uid).call(
                "Recovery.ImportKeys", [file.fileno()], fileDescriptor=0, exportPassphrase="export",
                passphrase=self.passphrase)


class Mapped(NamesCase):
    """Names belong to uids."""

    settings = {"MultiManagedIdentities": True}

    @classmethod
    def all_settings(cls):
        settings = super().all_settings()
        settings["AccountUsers"] |= {
            CEO: [VICTIM, "root"], "ceo-object-id": VICTIM, "lost@contoso.com": "no-such-user"}
        return settings

    def accounts_there(self):
        return {
            account["name"]
            for account in self.client(0).call("Workspace.ListAccounts")["accounts"]}

    def test_a_name_of_another_uids_is_not_registered(self):
        for name in (CEO, CEO.upper(), "lost@contoso.com", "unheard-of@contoso.com"):
            for uid in (ATTACKER, STRANGER):
                self.assertIn("AccountUsers", self.refuse_registration(uid, name))

    def test_no_name_comes_by_way_of_an_object_id(self):
        for object_id in (CEO, "ceo-object-id", "CEO-Object-ID"):
            self.refuse_registration(STRANGER, "unheard-of@contoso.com", objectId=object_id)
            self.refuse_registration(ATTACKER, ATTACKERS_NAME + "x", objectId=object_id)
            self.refused(
                ATTACKER, "Identity.LinkAccount", account=ATTACKERS_NAME, objectId=object_id,
                passphrase=self.passphrase)

    def test_no_name_comes_with_imported_keys(self):
        with self.assertRaises(Refusal) as caught:
            self.import_keys(ATTACKER, forged_export(CEO, os.urandom(16)))
        self.assertEqual(caught.exception.name, "Refused")
        self.assertNotIn(CEO, self.accounts_there())

    def test_the_user_to_whom_a_name_belongs_has_it(self):
        # Whatever files others write under it.
        writer = Writer(self, ATTACKER, CEO)
        self.assertEqual(writer.write(self.home(ATTACKER, "squat")), 0)
        self.register(VICTIM, CEO)
        self.wipe(VICTIM, CEO)
        self.assertEqual(self.read_as(ATTACKER, self.home(ATTACKER, "squat")), b"precious")

    def test_another_users_account_is_not_wiped(self):
        file = self.write_as(VICTIM, self.home(VICTIM, "kept"), b"precious")
        for uid in (ATTACKER, STRANGER):
            self.refused(uid, "Workspace.Wipe", account=VICTIMS_NAME, confirmed=True)
            self.refused(
                uid, "Enrollment.Deregister", account=VICTIMS_NAME.upper(), wipe=True,
                confirmed=True)
            self.refused(uid, "Enrollment.Deregister", account=VICTIMS_NAME, wipe=False)
        self.assertEqual(self.read_as(VICTIM, file), b"precious")

    def test_a_wipe_that_is_not_confirmed_destroys_nothing(self):
        file = self.write_as(VICTIM, self.home(VICTIM, "unconfirmed"), b"precious")
        for uid in (VICTIM, 0):
            for more in ({}, {"confirmed": False}, {"confirmed": None}):
                self.refused(
                    uid, "Workspace.Wipe", why="InvalidInput", account=VICTIMS_NAME, **more)
                self.refused(
                    uid, "Enrollment.Deregister", why="InvalidInput", account=VICTIMS_NAME,
                    wipe=True, **more)
        self.assertEqual(self.read_as(VICTIM, file), b"precious")

    def test_nobody_works_for_another_users_account(self):
        for uid in (ATTACKER, STRANGER):
            for name in (VICTIMS_NAME, VICTIMS_NAME.upper()):
                self.refused(uid, "Identity.SetProcessIdentity", identity=name)
                self.refused(uid, "Workspace.SetProcessIdentity", identity=name)
                self.refused(uid, "Identity.SetThreadIdentity", identity=name, thread=os.getpid())

    def test_a_directory_does_not_take_what_others_write_there(self):
        trap = self.home(ATTACKER, "trap")
        trap.mkdir()
        os.chown(trap, ATTACKER, ATTACKER)
        self.home(ATTACKER).chmod(0o711)
        trap.chmod(0o777)
        directory = os.open(trap, os.O_PATH)
        self.addCleanup(os.close, directory)
        self.client(ATTACKER).call(
            "Protection.Protect", [directory], more=True, owner=ATTACKERS_NAME, fileDescriptor=0)
        self.assertEqual(self.info(trap)["owner"], ATTACKERS_NAME)
        self.assertEqual(
            self.info(self.write_as(VICTIM, trap / "hers", b"precious"))["owner"], VICTIMS_NAME)
        self.assertFalse(self.info(self.write_as(STRANGER, trap / "his", b"precious"))["managed"])
        self.assertEqual(
            self.info(self.write_as(ATTACKER, trap / "own", b"own"))["owner"], ATTACKERS_NAME)

    def test_the_app_configuration_goes_to_its_user_alone(self):
        self.tell_configuration()
        found = self.client(VICTIM).call("Policy.Configuration", accounts=[VICTIMS_NAME])[
            "fullData"]
        self.assertEqual(found[0]["token"], "secret")
        for uid in (ATTACKER, STRANGER):
            self.refused(uid, "Policy.Configuration", accounts=[VICTIMS_NAME])
            self.assertEqual(
                self.client(uid).call("Policy.Configuration", accounts=[CEO])["fullData"], [])


class Unmapped(NamesCase):
    """The default settings, and the attacker came first."""

    settings = {"MultiManagedIdentities": True}
    accounts = ((ATTACKERS_NAME, ATTACKER),)

    @classmethod
    def all_settings(cls):
        settings = super().all_settings()
        del settings["AccountUsers"]
        return settings

    def test_a_second_user_is_told_what_to_do(self):
        self.assertIn(
            "AccountUsers or AllowedAccounts", self.refuse_registration(VICTIM, VICTIMS_NAME))

    def test_a_name_that_others_files_carry_is_not_claimed(self):
        name = "b@home.example"
        file = self.home(VICTIM, "plain")
        self.assertEqual(Writer(self, VICTIM, name).write(file), 0)
        for claim in (
                {"name": name}, {"name": name.upper()},
                {"name": "other@home.example", "objectId": name}):
            self.assertIn("AccountUsers", self.refuse_registration(ATTACKER, **claim))
        self.refused(
            ATTACKER, "Identity.LinkAccount", account=ATTACKERS_NAME, objectId=name,
            passphrase=self.passphrase)
        with self.assertRaises(Refusal):
            self.import_keys(ATTACKER, forged_export(name, os.urandom(16)))
        self.assertEqual(self.read_as(VICTIM, file), b"precious")

    def test_a_name_that_anothers_directory_carries_is_not_claimed(self):
        name = "d@home.example"
        folder = self.home(VICTIM, "folder")
        folder.mkdir()
        os.chown(folder, VICTIM, VICTIM)
        descriptor = os.open(folder, os.O_PATH)
        self.addCleanup(os.close, descriptor)
        self.client(VICTIM).call(
            "Protection.Protect", [descriptor], more=True, owner=name, unmanaged=True,
            fileDescriptor=0)
        self.refuse_registration(ATTACKER, name)

    def test_who_worked_for_a_name_before_its_claim_does_not_afterwards(self):
        name = "free@home.example"
        writer = Writer(self, VICTIM, name)
        self.register(ATTACKER, name.upper())
        file = self.home(VICTIM, "late")
        self.assertEqual(writer.write(file), 0)
        self.assertFalse(self.info(file)["managed"], "the attacker's keys have it")
        self.client(ATTACKER).call("Workspace.Lock", account=name, now=True)
        self.assertEqual(self.read_as(VICTIM, file), b"precious")
        self.wipe(ATTACKER, name)
        self.assertEqual(self.read_as(VICTIM, file), b"precious")

    def test_a_wipe_leaves_anothers_plain_file_of_that_name(self):
        name = "same@home.example"
        self.register(ATTACKER, name)
        hers = self.restored(VICTIM, "hers", header(name) + b"precious")
        own = self.restored(ATTACKER, "own", header(name.upper()) + b"own")
        self.assertEqual(self.read_as(VICTIM, self.home(VICTIM, "hers")), b"precious")
        self.assertEqual(self.wipe(ATTACKER, name)["files"], 1)
        self.assertFalse(own.exists())
        self.assertTrue(hers.exists(), "the wipe took another user's file")
        self.assertEqual(self.read_as(VICTIM, self.home(VICTIM, "hers")), b"precious")

    def test_forged_keys_do_not_take_the_ids_of_files_that_are_here(self):
        key = os.urandom(16)
        hers = self.restored(VICTIM, "sealed", header(VICTIMS_NAME, key) + bytes(4000))
        with self.assertRaises(Refusal) as caught:
            self.import_keys(ATTACKER, forged_export("forger@home.example", key))
        self.assertEqual(caught.exception.name, "Refused")
        # Root may.
        self.import_keys(0, forged_export("root@home.example", key))
        hers.unlink()
        self.wipe(0, "root@home.example")

    def test_a_wipe_of_forged_keys_leaves_files_that_came_later(self):
        key = os.urandom(16)
        self.import_keys(ATTACKER, forged_export("early@home.example", key))
        hers = self.restored(VICTIM, "later", header(VICTIMS_NAME, key) + bytes(4000))
        before = hers.read_bytes()
        self.wipe(ATTACKER, "early@home.example")
        self.assertEqual(hers.read_bytes(), before)

    def test_who_came_first_gets_no_app_configuration(self):
        self.tell_configuration()
        self.register(ATTACKER, CEO)
        self.assertIn(
            "AccountUsers", self.refused(ATTACKER, "Policy.Configuration", accounts=[CEO]))
        self.refused(ATTACKER, "Policy.ConfigurationValue", account=CEO, key="token")



class TakenFirst(NamesCase):
    """Root learns later whose the names are."""

    settings = Unmapped.settings
    accounts = Unmapped.accounts
    all_settings = Unmapped.all_settings

    def test_root_takes_a_name_from_who_came_first(self):
        taken = "taken@contoso.com"
        self.register(ATTACKER, taken)
        place = self.workspace.root / "config_home" / "mamd" / self.workspace.name / "settings.json"
        users = {taken: VICTIM, ATTACKERS_NAME: ATTACKER}
        place.write_text(json.dumps({**json.loads(place.read_text()), "AccountUsers": users}))
        self.restart()
        self.refused(
            ATTACKER, "Workspace.Unlock", why="Blocked", account=taken, passphrase=self.passphrase)
        status = self.client(ATTACKER).call(
            "Enrollment.Login", account=taken, passphrase=self.passphrase)["status"]
        self.assertEqual((status["didSucceed"], status["statusCode"]), (False, 209))
        self.wipe(0, taken)
        self.register(VICTIM, taken)


if __name__ == "__main__":
    unittest.main()
