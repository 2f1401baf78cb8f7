"""A forgotten passphrase: the organisation helps by an order with two signatures, and the person
at the machine chooses the new one."""
import base64
import hashlib
import json
import os
import signal
import sys
import unittest

from audit_files import records
from fleet_directory import KeyedDirectory, Machine, sealed
from reset_case import FORGOTTEN, NEW, ResetCase, signed_by_one
from running import has_ended
from terminal import Terminal
from test_hygiene import pages
from tracing import calls_by_thread, is_traced, killing, recording, strace
from workspace import (
    ANN, BOB, CLOSED, DONE, LONG, NO, NOT_FOUND, REFUSED, ROOT, UNREACHABLE, USAGE, wait_until)

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

NEEDS = ("strace",)


class Helped(ResetCase):
    def test_from_the_question_to_the_new_passphrase(self):
        self.workspace.lock()
        told = self.workspace.serving(FORGOTTEN, ANN, "--forgotten").stdout
        asked = self.ask()
        self.assertIn(f"code     {asked['code']}\n", told)
        self.assertEqual((asked["organization"], asked["machine"]), ("Contoso", self.machine))
        self.report()
        self.assertEqual(self.attention(), ["resetAsked"])
        # The office has to hear the code: it is nowhere in what it is shown.
        shown = self.organization.fleet("status", "--all", status=None).stdout
        self.assertIn(f"a new passphrase is asked for: {ANN}", shown)
        self.assertNotIn(asked["code"], shown)
        wrong = "AAAA" + asked["code"][4:]
        self.assertIn("that is not the code", self.order(wrong, status=REFUSED).stderr)
        self.assertFalse(self.order_file.exists())
        self.order(asked["code"].lower().replace("-", " "))
        self.assertIn("needs the signatures of 2", self.deliver(
            self.order_file, status=REFUSED).stderr)
        self.assertIn(asked["code"], self.cosign().stderr)
        self.assertEqual(self.order_state(), "pending")
        self.assertIn("has not answered yet", self.choose(status=REFUSED).stderr)
        self.deliver(self.order_file)
        # It waits over a restart.
        self.workspace.unmount()
        self.workspace.mount()
        self.assertIn("mamctl unlock opens it with the new one", self.choose().stdout)
        self.assertEqual(self.requests(), [])
        self.assert_only_the_new_one_opens()
        self.assertIn("obeyed before", self.deliver(self.order_file, status=REFUSED).stderr)
        self.report()
        self.assertEqual((self.attention(), self.order_state()), ([], "obeyed"))
        (changed,) = records(self.workspace, "--event", "passphrase-changed")
        (nonce,) = [order["nonce"] for order in self.organization.json("orders")]
        self.assertEqual(changed["reason"], f"reset with order {nonce} of Contoso")
        (event,) = records(self.workspace, "--event", "reset-asked")
        self.assertIn("asks Contoso", event["reason"])
        self.workspace.lock()
        self.assertNotEqual(self.ask()["code"], asked["code"])

    def test_what_was_reset_is_not_asked_for_again(self):
        order = self.signed()
        (asked,) = [line.split()[1] for line in self.workspace.serving(
            FORGOTTEN, ANN, "--forgotten").stdout.splitlines() if line.startswith("code ")]
        self.deliver(order)
        self.choose()
        told = self.workspace.serving(FORGOTTEN, ANN, "--forgotten", status=REFUSED).stderr
        self.assertIn("was reset already, by order", told)
        self.assertEqual(self.requests(), [])
        # Who has forgotten that one, too, asks again, and by another code.
        self.assertNotEqual(self.ask()["code"], asked)
        self.report()
        told = self.order(asked, status=REFUSED).stderr
        self.assertIn("was answered before, by orders/reset.json, and counts once", told)

    def test_what_is_missing_is_told_before_anything_is_asked(self):
        self.signed()
        for key in [], ["--recovery-key", self.office.root / "none.key"]:
            told = self.organization.fleet(
                "order", "reset", "--root", self.organization.root, "--key",
                self.organization.keys["ann"], "--machine", "laptop", "--account", ANN, *key,
                "-o", self.office.root / "new.json", status=(USAGE, NOT_FOUND)).stderr
            self.assertNotIn("account  ", told)
            self.assertNotIn("no terminal", told)

    def test_the_help_desk_sees_whose_machine_asks(self):
        self.workspace.lock()
        code = self.ask()["code"]
        self.report()
        invitation = "ab" * 16
        (self.organization.path / "invitations").mkdir(exist_ok=True)
        (self.organization.path / "invitations" / f"{invitation}.json").write_text(json.dumps({
            "id": invitation, "note": "Eve's laptop", "groups": [], "machine": self.machine,
            "created": "2026-09-20T00:00:00Z", "expires": "2026-09-27T00:00:00Z",
            "transportKey": json.loads((self.organization.path / "machines" / (
                self.machine + ".json")).read_text())["transportKey"]}))
        other = Machine(KeyedDirectory(self.organization), "ann-pc")
        other.register()
        other.say(accounts=[other.account(name=ANN.upper())])
        stranger = Machine(KeyedDirectory(self.organization), "bob-pc")
        stranger.register()
        stranger.say(accounts=[stranger.account(name=BOB)])
        words = [
            "mamctl", "fleet", "order", "reset", "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "--machine", "laptop", "--account", ANN,
            "--recovery-key", self.org_key, "--code", code, "-o", self.order_file,
            "--organization", self.organization.path]
        for typed, status in (("yes", NO), (ANN.upper(), DONE)):
            terminal = Terminal(words, self.organization.workspace.environment, columns=300)
            terminal.read(until=b"Type the account's name")
            self.assertFalse(self.order_file.exists())
            terminal.type(typed + "\n")
            found, shown = terminal.finish()
            self.assertEqual(found, status, shown)
            self.assertIn('for "Eve\'s laptop", 2026-09-20', shown)
            self.assertIn(f"{ANN} is on ann-pc ({other.id}), too", shown)
            self.assertNotIn("bob-pc", shown)
            self.assertRegex(shown, r"admitted +2026-09-21T\S+, \d+ days ago")
            self.assertRegex(shown, rf"account +{ANN} \([0-9a-f]+\), as the machine says")
        self.order_file.unlink()
        # A script says that it means it.
        self.assertIn("add --yes", self.organization.fleet(*words[2:-2], status=REFUSED).stderr)
        self.assertFalse(self.order_file.exists())

    def test_the_order_brings_no_key_in_the_clear_and_is_for_one_machine(self):
        order = self.signed()
        content = base64.b64decode(json.loads(order.read_text())["content"])
        self.assertEqual(
            set(json.loads(content)), {"action", "account", "request", "record"})
        # The recovery key opens what machines send, and not what answers them.
        record = self.office.root / "answer.keys"
        record.write_bytes(base64.b64decode(json.loads(content)["record"]))
        self.assertIn("another one", self.workspace.serving(
            FORGOTTEN, ANN, "--export", record, "--recovery-key", self.org_key, "--new-passfile",
            self.new, status=USAGE).stderr)
        self.assert_unchanged()

    def test_one_key_brings_nothing(self):
        order = self.signed()
        self.deliver(signed_by_one(order), status=REFUSED)
        self.choose(status=REFUSED)
        self.assert_unchanged()

    def test_an_order_for_a_request_of_before(self):
        order = self.signed()
        # Who knows the passphrase ends what somebody has asked for.
        self.workspace.unlock()
        self.assertEqual(self.requests(), [])
        self.deliver(order)
        wait_until(lambda: self.show()["pending"] == 0)
        (event,) = records(self.workspace, "--event", "ordered")
        self.assertIn("nobody asks for it any more", event["reason"])
        self.workspace.lock()
        # The person has waited for it, and is told once.
        self.assertIn("its code counts no more", self.choose(status=REFUSED).stderr)
        self.assertIn("has not answered", self.choose(status=REFUSED).stderr)
        self.assert_unchanged()
        # The office is told what came of it, also over a restart.
        self.workspace.unmount()
        self.workspace.mount()
        self.report()
        self.assertEqual(self.order_state(), "late")
        self.assertIn(
            "too late: nobody waited for it any more", self.organization.fleet("orders").stdout)

    def test_one_that_is_withdrawn(self):
        order = self.signed()
        self.deliver(order)
        (nonce,) = [each["nonce"] for each in self.organization.json("orders")]
        self.organization.fleet(
            "withdraw", nonce, "--key", self.organization.keys["ann"], "--yes")
        (withdrawal,) = {*self.order_file.parent.glob("*.json")} - {order}
        self.organization.fleet(
            "cosign", withdrawal, "--root", self.organization.root, "--key",
            self.organization.keys["bob"], "--yes")
        self.deliver(withdrawal)
        self.choose(status=REFUSED)
        self.assert_unchanged()

    def test_an_engine_that_swaps_the_request(self):
        self.workspace.lock()
        code = self.ask()["code"]
        self.report()
        report = json.loads(self.status_file.read_text())
        status = json.loads(base64.b64decode(report["payload"]))
        status["accounts"][0]["reset"]["publicKey"] = base64.b64encode(bytes(32)).decode()
        report["payload"] = base64.b64encode(json.dumps(status).encode()).decode()
        self.status_file.write_text(json.dumps(report))
        self.order(code, status=NOT_FOUND)
        # Nor does another machine's key count, with all else as it was.
        other = Machine(self, "other")
        self.status_file.write_bytes(sealed("status", {**status, "machine": other.id}, other.key))
        self.order(code, status=NOT_FOUND)
        self.assertFalse(self.order_file.exists())

    def test_another_machine_with_the_record_of_this_one(self):
        """Who has read what a machine sent asks, by a name of their own, for another's keys."""
        self.workspace.lock()
        self.ask()
        self.report()
        status = json.loads(base64.b64decode(json.loads(self.status_file.read_text())["payload"]))
        (account,) = status["accounts"]
        place = self.organization.path / "reports"
        (record,) = (place / "records" / self.machine).iterdir()
        record = json.loads(base64.b64decode(json.loads(record.read_text())["payload"]))
        thief = Machine(KeyedDirectory(self.organization), "thief")
        thief.register()
        thief.records_file(account["id"]).write_bytes(
            sealed("recovery-record", {**record, "machine": thief.id, "name": BOB}, thief.key))
        public = bytes(range(32))
        thief.say(sealed("status", {
            **status, "machine": thief.id, "accounts": [{
                **account, "name": BOB,
                "reset": {**account["reset"],
                          "publicKey": base64.b64encode(public).decode()}}]}, thief.key))
        whole = f"mamd reset code v1 {self.organization.id} {thief.id} {account['id']} "
        code = base64.b32encode(hashlib.sha256(whole.encode() + public).digest()).decode()[:12]
        told = self.organization.fleet(
            "order", "reset", "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "--machine", "thief", "--account", BOB,
            "--recovery-key", self.org_key, "--code", code, "-o", self.order_file, "--yes",
            status=REFUSED).stderr
        self.assertIn(f"the recovery record of {BOB} has the keys of {ANN}", told)
        self.assertFalse(self.order_file.exists())

    def test_a_record_from_before_the_keys(self):
        self.workspace.lock()
        code = self.ask()["code"]
        self.report()
        status = base64.b64decode(json.loads(self.status_file.read_text())["payload"])
        (account,) = json.loads(status)["accounts"]
        place = self.organization.path / "reports" / "records" / self.machine
        old = (place / f"{account['id']}.json").read_bytes()
        # A first passphrase makes new keys.
        self.workspace.unlock()
        self.workspace.serving(
            FORGOTTEN, ANN, "--passfile", self.workspace.passfile, "--no-passphrase")
        self.workspace.serving(FORGOTTEN, ANN, "--new-passfile", self.workspace.passfile)
        self.workspace.lock()
        self.assertNotEqual(self.ask()["code"], code)
        code = self.ask()["code"]
        self.report()
        (place / f"{account['id']}.json").write_bytes(old)
        self.assertIn("older than the keys", self.order(code, status=REFUSED).stderr)
        (place / f"{account['id']}.json").unlink()
        self.order(code, status=NOT_FOUND)

    def test_what_an_organisation_cannot_help_with(self):
        self.workspace.register(BOB, extra=["--no-passphrase"])
        told = self.workspace.serving(FORGOTTEN, BOB, "--forgotten", status=REFUSED).stderr
        self.assertIn("has no passphrase that could be forgotten", told)
        for record in (self.workspace.backing / ".mamd" / "recovery").iterdir():
            record.unlink()
        self.workspace.lock()
        self.assertIn("has no recovery record", self.workspace.serving(
            FORGOTTEN, ANN, "--forgotten", status=REFUSED).stderr)
        self.workspace.serving("account deregister", ANN, "--keep")
        self.workspace.serving(FORGOTTEN, ANN, "--forgotten", status=CLOSED)
        self.workspace.serving(
            FORGOTTEN, ANN, "--forgotten", "--export", "x", status=USAGE)
        self.assertEqual(self.requests(), [])

    def test_a_wipe_takes_the_request(self):
        self.signed()
        self.assertEqual(len(self.requests()), 1)
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        wait_until(lambda: not self.requests())


class LockedOut(ResetCase):
    rules = {"pinRequired": True, "minimumPinLength": 6, "maximumPinRetries": 3}

    def test_policys_rules_hold_and_a_lock_out_takes_a_login(self):
        self.deliver(self.signed())
        weak = self.workspace.secret("weak", "short")
        self.assertIn("minimumPinLength", self.choose(status=REFUSED, new=weak).stderr)
        for number in range(3):
            wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
            self.workspace.unlock(
                passfile=self.workspace.secret("wrong", f"wrong {number}"), status=None)
        self.assertEqual(self.workspace.account()["block"], "lockedOut")
        self.assertIn("mamctl account login opens it", self.choose().stdout)
        self.workspace.unlock(passfile=self.new, status=CLOSED)
        self.workspace.serving("account login", ANN, "--passfile", self.new)
        self.assertEqual(self.file.read_bytes(), b"the only copy")


# All that changes something on disk.
CALLS = "pwrite64,write,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class Killed(ResetCase):
    def daemon(self):
        return json.loads(self.workspace.serving("status", "--json").stdout)[0]["pid"]

    def test_at_each_step(self):
        """One passphrase opens it, and the order counts once, whenever the daemon is killed."""
        self.deliver(self.signed())
        trace = self.workspace.root / "trace"
        with recording(self.daemon(), CALLS, trace):
            self.choose()
        calls = max(calls_by_thread(trace), key=len)
        changing = [
            number for number, call in enumerate(calls) if call.startswith(("rename", "unlink"))]
        outcomes = []
        for point in range(len(calls)) if LONG else changing:
            print(f"killed at call {point}, {calls[point]}", flush=True)
            self.workspace.serving(
                FORGOTTEN, ANN, "--passfile", self.new, "--new-passfile", self.workspace.passfile)
            self.deliver(self.signed())
            outcomes.append(self.killed_at(calls[:point + 1]))
        print(f"{len(calls)} calls, {len(outcomes)} points: {outcomes}", flush=True)
        self.assertEqual(outcomes, sorted(outcomes, key=["not yet", "killed", "done"].index))
        self.assertEqual({*outcomes} - {"done"}, {"not yet", "killed"})

    def killed_at(self, calls):
        pid = self.daemon()
        with strace("-f", "-p", str(pid), "-o", "/dev/null", "-e", f"trace={calls[-1]}", "-e",
                    killing(calls)):
            wait_until(lambda: is_traced(pid), message="strace does not attach")
            status = self.choose(status=(DONE, UNREACHABLE)).returncode
        if status != DONE:
            wait_until(lambda: has_ended(pid), message="the daemon lives")
            self.workspace.mount()
        again = self.choose(status=(DONE, REFUSED)).returncode
        self.assert_only_the_new_one_opens()
        wait_until(lambda: self.show()["pending"] == 0 and not self.requests())
        if again == DONE:
            return "not yet"
        return "done" if status == DONE else "killed"

    def test_no_key_of_it_is_left_in_memory(self):
        self.deliver(self.signed())
        (request,) = self.requests()
        data = request.read_bytes()
        private = decoder.unseal(
            decoder.derive(
                (self.workspace.state / "device-secret").read_bytes(), bytes.fromhex(request.name),
                b"mamd reset request v1"), data[64:80], data[80:112], data[112:], data[:64])
        self.assertEqual(decoder.public_half(private), data[32:64])
        self.choose()
        memory = pages(self.daemon())
        (keybag,) = decoder.keybags(self.workspace.state)
        words = NEW.encode()
        # Else a search that finds nothing proves nothing.
        self.assertIn(keybag.class_key(4, words), memory)
        for secret in (private, keybag.class_key(1, words), keybag.class_key(2, words), words):
            self.assertNotIn(secret, memory)

    def test_after_the_question_and_after_the_answer(self):
        self.workspace.lock()
        code = self.ask()["code"]
        self.kill()
        self.assertEqual(self.ask()["code"], code)
        self.report()
        self.order(code)
        self.cosign()
        self.deliver(self.order_file)
        self.kill()
        self.choose()
        self.assert_only_the_new_one_opens()

    def kill(self):
        pid = self.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid), message="the daemon lives")
        self.workspace.mount()


if __name__ == "__main__":
    unittest.main()
