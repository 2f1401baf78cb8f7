"""Files of all keys that an account has had: at home, elsewhere, recovered, and wiped."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from machines import POLICY, SETTINGS, another_machine, records
from workspace import ANN, DECODER, PASSPHRASE, Workspace, pattern, wait_until

sys.path.append(str(DECODER.parent))
import decoder


class Life(unittest.TestCase):
    """An account whose passphrase came, went and came again.

    Of each time there are files from a backup, as they lay on disk then: of each class, one in
    the middle of a change of class, and a stream.
    """

    def setUp(self):
        self.space = Workspace(settings=SETTINGS, policy=POLICY)
        self.addCleanup(self.space.close)
        self.space.init().mount().register(extra=["--no-passphrase"])
        self.kept = self.space.root / "backup"
        self.kept.mkdir()
        self.content = {}
        self.make("first")
        self.space.serving("account passphrase", ANN, "--new-passfile", self.space.passfile)
        self.make("second")
        self.space.serving(
            "account passphrase", ANN, "--passfile", self.space.passfile, "--no-passphrase")
        self.space.serving("account passphrase", ANN, "--new-passfile", self.space.passfile)
        self.make("third")

    def make(self, time):
        for letter in "ABCD":
            path = self.space.path(f"{time} {letter}")
            path.write_bytes(pattern(9_000, seed=ord(letter)))
            self.space.ctl("class", "--set", letter, path)
            self.keep(path, pattern(9_000, seed=ord(letter)))
        # With a second name it cannot be sealed anew: it stays as a kill would leave it.
        path = self.space.path(f"{time} exposed")
        path.write_bytes(pattern(5_000))
        os.link(path, self.space.path(f"{time} link"))
        self.space.ctl("class", "--set", "A", path)
        self.assertEqual(self.space.on_disk(path.name).read_bytes()[13], 1)
        self.keep(path, pattern(5_000))
        stream = self.kept / f"{time} stream"
        with open(stream, "wb") as sink:
            subprocess.run(
                ["mamctl", "data", "protect", "--owner", ANN, "--workspace", self.space.name],
                input=b"words", stdout=sink, check=True, env=self.space.environment)

    def keep(self, path, content):
        with open(path, "rb") as file:
            os.fsync(file)
        shutil.copyfile(self.space.on_disk(path.name), self.kept / path.name)
        self.content[path.name] = content

    def restore(self, machine):
        """The backup beside what is there."""
        machine.unmount() if machine.mount_point.is_mount() else None
        for name in self.content:
            shutil.copyfile(self.kept / name, machine.on_disk(f"restored {name}"))
        machine.mount()

    def check(self, machine, restored=True):
        for name, content in self.content.items():
            self.assertEqual(machine.path(name).read_bytes(), content, name)
            if restored:
                self.assertEqual(machine.path(f"restored {name}").read_bytes(), content, name)
        for stream in self.kept.glob("* stream"):
            result = subprocess.run(
                ["mamctl", "data", "unprotect", "--workspace", machine.name],
                input=stream.read_bytes(), capture_output=True, env=machine.environment)
            self.assertEqual((result.returncode, result.stdout), (0, b"words"), result.stderr)

    def decode_all(self, bags, passphrase=None):
        for name, expected in self.content.items():
            with open(self.kept / name, "rb") as file:
                header = decoder.Header(file.read(decoder.HEADER))
                size = os.stat(file.fileno()).st_size
                found = b"".join(decoder.content(header, file, size, bags, passphrase))
            self.assertEqual(found, expected, name)
        for time in ("first", "third"):
            stream = (self.kept / f"{time} stream").read_bytes()
            self.assertEqual(decoder.stream_content(stream, bags, passphrase), b"words")

    def test_on_its_machine(self):
        space = self.space
        self.decode_all(decoder.keybags(space.state), PASSPHRASE.encode())
        self.restore(space)
        for name in self.content:
            if not name.endswith("D"):
                with self.assertRaises(OSError, msg=name):
                    space.path(f"restored {name}").read_bytes()
        space.unlock()
        self.check(space)
        space.lock()
        space.unlock()
        self.check(space)
        places = [space.on_disk(name) for name in self.content if "exposed" not in name]
        places += [place.with_name(f"restored {place.name}") for place in places]
        keybag = space.state / "keybags" / f"{space.account()['id']}.keybag"
        current = keybag.read_bytes()[688:752]
        keys = [current[at:at + 16] for at in range(0, 64, 16)]

        def is_current(header):
            return header[32:48] in keys and header[13] == 0

        wait_until(
            lambda: all(is_current(place.read_bytes()) for place in places),
            message="not all have a present key")
        space.serving("account deregister", ANN, "--keep")
        space.register()
        self.check(space)
        space.remount()
        self.check(space)
        space.serving("wipe", ANN, "--confirm", ANN)
        self.assertEqual({path.name for path in space.backing.iterdir()} - {".mamd"}, set())
        self.assertEqual(list((space.state / "keybags").iterdir()), [])

    def test_on_another_machine(self):
        export = self.space.root / "ann.keys"
        words = "the passphrase of the export"
        secret = self.space.secret("export", words)
        self.space.serving("account export", ANN, "-o", export, "--passfile", self.space.passfile,
                           "--export-passfile", secret)
        # An export's key costs a second of Argon2id.
        self.decode_all([decoder.Export(export.read_bytes(), None, words.encode())])
        self.space.unmount()
        other = another_machine(self.space)
        self.addCleanup(other.close)
        self.restore(other)
        other.serving(
            "account import", export, "--export-passfile", secret, "--passfile", other.passfile)
        self.check(other)
        other.serving("account passphrase", ANN, "--passfile", other.passfile, "--no-passphrase")
        other.serving("account passphrase", ANN, "--new-passfile", other.passfile)
        other.remount()
        self.check(other)

    def test_recovered(self):
        key = self.space.root / "org.key"
        answer = self.space.ctl("recovery", "keygen", "--json", "-o", key, "--no-passphrase")
        public = json.loads(answer.stdout)["publicKey"]
        document = {**POLICY, "displayName": "key", "mamdRecoveryPublicKey": public}
        (self.space.policies / "key.json").write_text(json.dumps(document))
        wait_until(lambda: records(self.space), message="there is no record")
        (record,) = records(self.space)
        self.decode_all(
            [decoder.Export(record.read_bytes(), decoder.RecoveryKey(key.read_bytes()), None)])
        self.space.unmount()
        other = another_machine(self.space)
        self.addCleanup(other.close)
        self.restore(other)
        (record,) = records(other)
        other.serving("account import", record, "--recovery-key", key, "--passfile", other.passfile)
        self.check(other)
