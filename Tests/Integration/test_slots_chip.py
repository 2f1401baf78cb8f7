"""Key slots of a TPM 2.0 chip: what opens, what the chip refuses and how that is told, and what it
is never given."""
import json
import os
import socket
import struct
import subprocess
import sys
import unittest

from cryptography.hazmat.primitives.asymmetric import ec

import test_hygiene
from audit_files import records
from chip_interposer import LOAD, READ_PUBLIC, START_SESSION, UNSEAL, Interposer, error
from enrolling import EnrollmentCase
from software_chip import SoftwareChip
from terminal import Terminal
from test_slots import SlotCase
from workspace import ANN, PASSPHRASE, REFUSED, ROOT, USAGE, WRONG_PASSPHRASE, wait_until

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

NEEDS = ("gdb",)

PIN = "2468013 of the chip"
# chip.h: what is asked, and what is answered.
SEALED = "IHH34s448s448s2x"
REQUEST, REPLY = struct.Struct(f"<II256s32s32s{SEALED}"), struct.Struct(f"<III32s{SEALED}")
TO_UNSEAL, DONE, NO_LIBRARY = 2, 0, 1
# Of a chip's.
AUTH_FAIL = 0x98E


class ChipCase(SlotCase):
    @classmethod
    def before_init(cls):
        super().before_init()
        cls.chip = SoftwareChip(cls.workspace.root)
        cls.addClassCleanup(lambda: cls.chip.stop())
        cls.workspace.environment["MAMD_TCTI"] = cls.chip.tcti

    def setUp(self):
        super().setUp()
        self.wait_out()
        self.workspace.unlock()
        self.pin = self.workspace.secret("pin", PIN)

    def tearDown(self):
        for slot in self.ids("tpm"):
            self.slot("remove", slot)

    def add(self, *options, pin=True, status=0):
        secret = ("--new-passfile", self.pin) if pin else ("--no-pin",)
        told = self.slot("add", "--type", "tpm", *secret, *options, "--json", status=status)
        return told.stderr if status else json.loads(told.stdout)["id"]

    def unlock(self, *options, status=0):
        self.wait_out()
        self.workspace.lock()
        return self.workspace.serving("unlock", ANN, *options, status=status)

    def unlock_by(self, slot, pin=None, status=0):
        secret = ("--passfile", pin or self.pin)
        return self.unlock("--slot", slot, *secret, status=status)


class Opening(ChipCase):
    def test_a_pin_opens_and_is_counted(self):
        slot = self.add()
        listed = self.workspace.serving("slot list", ANN).stdout
        self.assertRegex(listed, rf"(?m)^{slot}\ttpm\t20\S+\tPIN$")
        self.unlock_by(slot)
        wrong = self.workspace.secret("wrong", "1357913")
        self.unlock_by(slot, wrong, status=WRONG_PASSPHRASE)
        self.assertTrue(records(self.workspace, "--event", "wrong-passphrase"))
        self.unlock_by(slot)
        # As it is, the chip gets none but a PIN.
        self.slot("test", "--slot", slot, passfile=self.pin)
        self.assertEqual((self.chip.transients(), self.chip.sessions()), ([], []))

    def test_without_a_pin_nothing_is_typed(self):
        slot = self.add(pin=False)
        path = self.write(self.directory / "file", b"content")
        self.unlock()
        self.assertEqual(path.read_bytes(), b"content")
        self.unlock("--slot", slot)
        self.assertRegex(self.workspace.serving("slot list", ANN).stdout, "\tno PIN\n")

    def test_a_passphrase_is_no_pin(self):
        self.add()
        before = self.counter()
        self.assertTrue(self.opens(PASSPHRASE))
        self.assertFalse(self.opens("not it"))
        self.assertFalse(self.opens(PIN))
        self.assertEqual(self.counter(), before)

    def counter(self):
        return [
            line for line in self.chip.ask("getcap", "properties-variable").splitlines()
            if "LOCKOUT_COUNTER" in line]

    def test_the_terminal_asks_for_the_pin_or_the_passphrase(self):
        self.add()
        for typed in (PIN,), ("", PASSPHRASE):
            self.wait_out()
            self.workspace.lock()
            terminal = Terminal(
                ["mamctl", "unlock", ANN, "--workspace", self.workspace.name],
                self.workspace.environment)
            for question, secret in zip((b"PIN of this machine's chip", b"Passphrase of"), typed):
                terminal.read(until=question)
                wait_until(terminal.hides_typing)
                terminal.type(secret + "\n")
            status, shown = terminal.finish()
            self.assertEqual(status, 0, shown)

    def test_the_second_decoder_reads_the_record(self):
        slot = self.add("--pcrs", "7,0")
        (keybag,) = decoder.keybags(self.workspace.state)
        self.assertEqual(keybag.bytes[8], 5)
        (seal,) = keybag.seals.values()
        self.assertEqual(seal[2:6], b"\x81\0\0\0")
        self.assertIsNotNone(keybag.class_key(1, PASSPHRASE.encode()))
        self.slot("remove", slot)
        (keybag,) = decoder.keybags(self.workspace.state)
        self.assertEqual(keybag.bytes[8], 4)

    def test_options_of_other_types_are_refused(self):
        for options in (
                ("--no-pin",), ("--pcrs", "7"), ("--type", "tpm", "--recovery-file", "x"),
                ("--type", "tpm", "--no-pin", "--new-passfile", self.pin),
                ("--type", "tpm", "--no-pin", "--pcrs", "7;8")):
            self.slot("add", *options, status=USAGE)
        self.slot("add", "--type", "tpm", "--no-pin", "--pcrs", "24", status=USAGE)
        self.assertEqual(self.ids("tpm"), [])


class Refusing(ChipCase):
    def tearDown(self):
        super().tearDown()
        self.chip.stop()
        self.chip.replace()

    def refused(self, slot, said):
        told = self.unlock_by(slot, status=REFUSED).stderr
        self.assertIn(said, told)
        self.assertTrue(self.opens(PASSPHRASE))

    def test_a_machine_that_starts_again(self):
        slot = self.add()
        self.chip.stop()
        self.refused(slot, "no TPM 2.0 chip answers")
        self.chip.start()
        self.unlock_by(slot)

    def test_a_cleared_chip(self):
        slot = self.add()
        self.chip.ask("clear", "-c", "p")
        self.refused(slot, "cleared, or is not the one")

    def test_the_slot_of_before_a_clearing_hides_no_later_one(self):
        self.add(pin=False)
        self.chip.ask("clear", "-c", "p")
        self.add(pin=False)
        self.assertNotIn("cleared", self.unlock().stderr)

    def test_another_chip_gets_no_pin(self):
        slot = self.add()
        self.chip.stop()
        self.chip.replace()
        self.refused(slot, "it got no PIN")

    def test_too_many_wrong_pins(self):
        slot = self.add()
        self.chip.ask("dictionarylockout", "-s", "-n", "1", "-t", "4321", "-l", "10")
        self.unlock_by(
            slot, self.workspace.secret("wrong", "1357913"), status=WRONG_PASSPHRASE)
        self.refused(slot, "4321 s")
        self.chip.ask("dictionarylockout", "-c")
        self.unlock_by(slot)

    def test_without_the_bank_nothing_is_bound_to_pcrs(self):
        self.chip.ask("pcrallocate", "sha1:all+sha256:none")
        self.chip.stop()
        self.chip.start()
        self.assertIn("bank of SHA-256", self.add("--pcrs", "7", status=REFUSED))
        self.unlock_by(self.add())

    def test_another_start_of_the_machine(self):
        for pin in True, False:
            slot = self.add("--pcrs", "7", pin=pin)
            secret = ("--passfile", self.pin) if pin else ()
            self.unlock("--slot", slot, *secret)
            self.chip.ask("pcrextend", "7:sha256=" + "11" * 32)
            told = self.unlock("--slot", slot, *secret, status=REFUSED).stderr
            self.assertIn("PCR 7 changed", told)
            # What is added now opens.
            self.unlock("--slot", self.add("--pcrs", "7", pin=pin), *secret)

    def test_a_slot_without_a_pin_that_fails_asks_for_the_passphrase(self):
        self.add(pin=False)
        self.chip.ask("clear", "-c", "p")
        self.workspace.lock()
        terminal = Terminal(
            ["mamctl", "unlock", ANN, "--workspace", self.workspace.name],
            self.workspace.environment)
        terminal.read(until=b"Passphrase of")
        wait_until(terminal.hides_typing)
        terminal.type(PASSPHRASE + "\n")
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        self.assertIn("cleared", shown)


def ask_chip(tcti, pin, seal, prefix=()):
    """The end and the secret that `mamd --chip` answers to a request to unseal."""
    pcrs, parent, count = struct.unpack_from("<I34sH", seal, 2)
    public, rest = seal[42 : 42 + count], seal[42 + count :]
    private = rest[2 : 2 + int.from_bytes(rest[:2], "little")]
    request = REQUEST.pack(
        TO_UNSEAL, 1, tcti.encode(), pin, bytes(32), pcrs, len(public), len(private), parent,
        public, private)
    told = subprocess.run(
        [*prefix, "mamd", "--chip"], input=request, capture_output=True, check=True).stdout
    end, _, _, secret, *_ = REPLY.unpack(told)
    return end, secret


class Secrets(ChipCase):
    def keybag(self):
        (keybag,) = decoder.keybags(self.workspace.state)
        (slot,) = (slot for slot in keybag.slots if slot[0] == 3)
        return keybag, slot, keybag.seals[slot[16:20]]

    def test_the_second_decoder_opens_the_slot(self):
        self.add()
        keybag, slot, seal = self.keybag()
        end, secret = ask_chip(self.chip.tcti, keybag.chip_pin(slot, PIN.encode()), seal)
        self.assertEqual(end, DONE)
        private = keybag.chip_private_key(slot, PIN.encode(), secret)
        self.assertEqual(decoder.public_half(private), slot[64:96])
        first = next(slot for slot in keybag.slots if slot[0] == 1)
        self.assertEqual(
            keybag.account_key_by(slot, private),
            keybag.slot_account_key(first, PASSPHRASE.encode()))

    @unittest.skipUnless(os.getuid() == 0, "only root hides a library, and reads memory")
    def test_without_the_library_that_is_told(self):
        self.add()
        keybag, slot, seal = self.keybag()
        hiding = (
            "unshare", "-m", "sh", "-c",
            'for name in /lib/*/libtss2-esys.so.0; do mount --bind /dev/null "$name"; done;'
            ' exec "$@"', "sh")
        self.assertEqual(
            ask_chip(self.chip.tcti, keybag.chip_pin(slot, PIN.encode()), seal, hiding)[0],
            NO_LIBRARY)

    @unittest.skipUnless(os.getuid() == 0, "only root hides a library, and reads memory")
    def test_a_lock_leaves_nothing_of_them(self):
        slot = self.add()
        self.unlock_by(slot)
        keybag, slot, seal = self.keybag()
        auth = keybag.chip_pin(slot, PIN.encode())
        _, secret = ask_chip(self.chip.tcti, auth, seal)
        secrets = {
            "PIN": PIN.encode(), "authValue": auth, "what was sealed": secret,
            "stretched PIN": keybag.slot_stretched(slot, PIN.encode()),
            "private key": keybag.chip_private_key(slot, PIN.encode(), secret),
            "class key A": keybag.class_key(1, PASSPHRASE.encode())}
        # Else a search that finds nothing proves nothing.
        self.assertEqual(self.found(secrets), {"class key A"})
        self.workspace.lock()
        self.assertEqual(self.found(secrets), set())

    def found(self, secrets):
        memory = test_hygiene.Hygiene.registers_and_pages(self, self.workspace.daemon())
        return {name for name, value in secrets.items() if value[:16] in memory}


class Between(ChipCase):
    """Something between the daemon and the chip."""

    @classmethod
    def before_init(cls):
        super().before_init()
        cls.between = Interposer(cls.chip)
        cls.addClassCleanup(cls.between.close)
        cls.workspace.environment["MAMD_TCTI"] = cls.between.tcti

    def tearDown(self):
        self.between.change = None
        super().tearDown()

    def test_only_what_has_the_pin_counts_as_a_wrong_one(self):
        slot = self.add()
        for refusing in START_SESSION, LOAD, UNSEAL:
            status = WRONG_PASSPHRASE if refusing == UNSEAL else REFUSED
            self.between.change = (
                lambda code, reply: error(AUTH_FAIL) if code == refusing else reply)
            told = self.unlock_by(slot, status=status).stderr
            self.assertEqual("wrong" in told, status == WRONG_PASSPHRASE)
            # What the chip could not tell about has taken its room for objects.
            self.chip.ask("flushcontext", "-t")
            self.chip.ask("flushcontext", "-l")
        self.between.change = None
        self.unlock_by(slot)

    def test_a_key_that_is_told_of_in_two_ways_is_not_talked_to(self):
        handle = self.chip.keep_storage_key()
        self.addCleanup(self.chip.ask, "evictcontrol", "-C", "o", "-c", handle)
        slot = self.add()
        self.unlock_by(slot)
        for changed in range(2):
            self.between.commands.clear()
            self.between.change = lambda code, reply: (
                other_key(reply) if code == READ_PUBLIC
                and self.between.commands.count(code) == 1 + changed else reply)
            self.assertIn("it got no PIN", self.unlock_by(slot, status=REFUSED).stderr)
            self.assertNotIn(START_SESSION, self.between.commands)


def other_key(reply):
    """TPM2_ReadPublic's reply with the point of another key, whose private half is known."""
    point = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    end = 12 + int.from_bytes(reply[10:12], "big")
    halves = [b"\0\x20" + half.to_bytes(32, "big") for half in (point.x, point.y)]
    return reply[: end - 68] + b"".join(halves) + reply[end:]


class Silent(SlotCase):
    """A chip that takes what it is asked, and answers nothing."""

    @classmethod
    def before_init(cls):
        super().before_init()
        path = str(cls.workspace.root / "chip")
        cls.listeners = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for listener, name in zip(cls.listeners, (path, f"{path}.ctrl")):
            listener.bind(name)
            listener.listen()
            cls.addClassCleanup(listener.close)
        cls.workspace.environment["MAMD_TCTI"] = f"swtpm:path={path}"

    def test_it_is_given_up(self):
        told = self.slot("add", "--type", "tpm", "--no-pin", status=REFUSED)
        self.assertIn("the chip does not answer", told.stderr)
        self.assertTrue(self.opens(PASSPHRASE))


class UnderPolicy(EnrollmentCase, SlotCase):
    def setUp(self):
        super().setUp()
        self.chip = SoftwareChip(self.workspace.root)
        self.addCleanup(self.chip.stop)
        self.workspace.environment["MAMD_TCTI"] = self.chip.tcti
        self.pin = self.workspace.secret("pin", PIN)

    def test_wrong_pins_lock_out(self):
        self.set_policy(pinRequired=True, maximumPinRetries=2)
        self.workspace.mount().register()
        self.slot("add", "--type", "tpm", "--new-passfile", self.pin)
        (slot,) = self.ids("tpm")
        for number in range(2):
            self.slot(
                "test", "--slot", slot, passfile=self.workspace.secret("wrong", f"13579 {number}"),
                status=WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "lockedOut")

    def test_where_a_passphrase_is_required_a_chip_alone_opens_nothing(self):
        self.set_policy()
        self.workspace.mount().register()
        self.slot("add", "--type", "tpm", "--no-pin")
        (slot,) = self.ids("tpm")
        self.set_policy(pinRequired=True, minimumPinLength=8)
        self.answer("CheckIn")
        self.workspace.lock()
        told = self.workspace.serving("unlock", ANN, "--slot", slot, status=REFUSED).stderr
        self.assertIn("pinRequired", told)
        self.slot("add", "--type", "tpm", "--no-pin", status=REFUSED)
        weak = self.workspace.secret("weak", "2468013")
        self.slot("add", "--type", "tpm", "--new-passfile", weak, status=REFUSED)


if __name__ == "__main__":
    unittest.main()
