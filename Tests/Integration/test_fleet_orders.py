"""Orders that an administrator takes back, and all that a machine that leaves is ordered."""
import base64
import datetime
import json
import unittest

from carrier import POLICY, Organization, with_clients
from fleet_directory import Machine
from fleet_view import FleetCase
from signing import DAY, statement
from terminal import Terminal
from workspace import DONE, NO, NOT_FOUND, REFUSED, USAGE, Workspace


@with_clients
class Office(unittest.TestCase):
    now = 1_795_000_000

    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.key, self.path = self.organization.keys["ann"], self.organization.path
        self.orders = self.path / "orders"
        for name in ("machines", "reports/status"):
            (self.path / name).mkdir(parents=True)

    def documents_of(self, _):
        return {}

    def machine(self, name="pc-1", accounts=()):
        """One on the register, that has reported."""
        machine = Machine(self, name)
        machine.register()
        self.say(machine, accounts)
        return machine

    def say(self, machine, accounts=(), **status):
        machine.say(accounts=[
            machine.account(id=account, name=f"{account[:2]}@contoso.com")
            for account in accounts], **status)

    def order(self, action, machine, *words):
        self.orders.mkdir(exist_ok=True)
        (made,) = self.organization.json(
            "order", action, "--machine", machine.id, *words, "--root", self.organization.root,
            "--key", self.key, "-o", self.orders / f"{action}.json")
        return made

    def cosign(self, *paths):
        self.organization.json(
            "cosign", *paths, "--key", self.organization.keys["bob"], "--root",
            self.organization.root, "--yes")

    def sent(self, machine):
        """The actions of what a carrier has for the machine, in order."""
        web = self.workspace.root / "web"
        self.organization.json("bundle", "-o", web)
        path = web / "m" / f"{machine.id}.json"
        documents = json.loads(path.read_text()) if path.exists() else []
        return [json.loads(base64.b64decode(one["content"]))["action"] for one in documents]

    def states(self):
        return {order["nonce"]: order["state"] for order in self.organization.json("orders")}


class HowLong(Office):
    def test_what_destroys_lives_as_long_as_an_order_may(self):
        machine = self.machine()
        for action, words, days in (
                ("wipe", ("--account", "a1" * 16), 366), ("leave", (), 366), ("lock", (), 30),
                ("checkIn", ("--expires", "3"), 3)):
            with self.subTest(action):
                made = self.order(action, machine, *words)
                issued, expires = (
                    self.seconds(made[member]) for member in ("issued", "expires"))
                self.assertEqual(expires - issued, days * DAY)

    def seconds(self, text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Withdrawals(Office):
    def test_a_wipe_is_taken_back(self):
        machine = self.machine(accounts=["a1" * 16])
        nonce = self.order("wipe", machine, "--account", "a1" * 16)["name"]
        self.cosign(self.orders / "wipe.json")
        self.assertEqual(self.sent(machine), ["wipe"])
        self.assertIn("wipe of a1@contoso.com", self.organization.fleet("orders").stdout)
        (told,) = self.organization.json("orders")
        self.assertEqual(told["accountName"], "a1@contoso.com")
        (made,) = self.organization.json("withdraw", nonce[:8], "--key", self.key, "--yes")
        self.assertEqual(
            (made["action"], made["withdraws"], made["missing"]), ("withdraw", nonce, 1))
        # One key alone takes no wipe back.
        self.assertEqual(self.sent(machine), ["wipe"])
        self.cosign(made["path"])
        self.assertEqual(self.sent(machine), ["withdraw"])
        self.assertEqual(self.states(), {nonce: "pending", made["name"]: "pending"})
        self.assertIn("its withdrawal too", self.organization.fleet("orders").stdout)
        self.say(machine, obeyed=[made["name"]])
        self.assertEqual(self.states(), {nonce: "withdrawn", made["name"]: "obeyed"})
        self.say(machine, obeyed=[made["name"], nonce])
        self.assertEqual(self.states(), {nonce: "obeyed", made["name"]: "obeyed"})
        self.assertIn("too late", self.organization.fleet("orders").stdout)
        self.assertIn("obeyed", self.organization.error(
            "withdraw", nonce, "--key", self.key, "--yes", status=REFUSED))

    def test_a_second_withdrawal_does_not_take_the_firsts_signatures(self):
        machine = self.machine(accounts=["a1" * 16])
        nonce = self.order("wipe", machine, "--account", "a1" * 16)["name"]
        self.cosign(self.orders / "wipe.json")
        # Twice in one line is once.
        words = ["withdraw", nonce[:8], nonce, "--key", self.key, "--yes"]
        (made,) = self.organization.json(*words)
        told = self.organization.json(*words, status=NO)["error"]
        self.assertIn("withdraws it already", told["message"])
        self.assertIn("mamctl fleet cosign", told["next"])
        self.cosign(made["path"])
        told = self.organization.json(*words, status=NO)["error"]
        self.assertEqual(told["next"], "mamfleet push")
        self.assertEqual(self.sent(machine), ["withdraw"])

    def test_its_file_is_named_from_wherever_one_is(self):
        machine = self.machine()
        self.order("lock", machine)
        for directory, name in (
                (self.path, "orders/lock.json"), (self.orders, "lock.json"),
                (self.path.parent, self.orders / "lock.json"), (self.path, "./orders/lock.json")):
            with self.subTest(name=name, directory=directory):
                said = self.organization.fleet(
                    "withdraw", name, "--key", self.key, status=REFUSED,
                    prefix=("env", "-C", directory)).stderr
                self.assertIn("nothing was withdrawn", said)

    def test_it_is_shown_and_asked(self):
        machine = self.machine(accounts=["a1" * 16])
        self.order("wipe", machine, "--account", "a1" * 16)
        words = ["withdraw", self.orders / "wipe.json", "--key", self.key]
        self.organization.fleet(*words, status=REFUSED)
        for answer, status in (("no", NO), ("yes", DONE)):
            terminal = Terminal(
                ["mamctl", "fleet", *words, "--organization", self.organization.path],
                self.workspace.environment, columns=200)
            shown = terminal.read(until=b"continue").decode()
            for word in ("pc-1", "a1@contoso.com"):
                self.assertIn(word, shown)
            self.assertEqual(len(list(self.orders.iterdir())), 1)
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)
        self.assertEqual(len(list(self.orders.iterdir())), 2)

    def test_what_cannot_be_withdrawn(self):
        machine = self.machine()
        first = self.order("lock", machine)["name"]
        self.organization.error(
            "withdraw", "0" * 32, "--key", self.key, "--yes", status=NOT_FOUND)
        self.assertIn("lacks the role order", self.organization.error(
            "withdraw", first, "--key", self.organization.keys["server"], "--yes",
            status=REFUSED))
        (made,) = self.organization.json("withdraw", first, "--key", self.key, "--yes")
        self.assertIn("no withdrawals", self.organization.error(
            "withdraw", made["name"], "--key", self.key, "--yes", status=REFUSED))
        self.organization.fleet(
            "order", "withdraw", "--machine", machine.id, "--root", self.organization.root,
            "--key", self.key, "-o", self.orders / "x.json", status=USAGE)


class Retiring(Office):
    def test_each_account_is_wiped_and_then_it_leaves(self):
        accounts = ["a1" * 16, "b2" * 16]
        machine = self.machine(accounts=accounts)
        made = self.organization.json("retire", "pc-1", "--key", self.key, "--yes")
        self.assertEqual(
            [(one["action"], one["account"], one["missing"]) for one in made],
            [("wipe", accounts[0], 1), ("wipe", accounts[1], 1), ("leave", None, 1)])
        paths = [one["path"] for one in made]
        self.assertEqual(paths, sorted(paths))
        self.assertEqual(self.sent(machine), [])
        # It is not let go before it has told that all its wipes are obeyed.
        self.cosign(paths[2])
        self.assertEqual(self.sent(machine), [])
        self.cosign(*paths[:2])
        self.assertEqual(self.sent(machine), ["wipe", "wipe"])
        self.assertIn("sent once the wipes are obeyed", self.organization.fleet("orders").stdout)
        self.say(machine, accounts[1:], obeyed=[made[0]["name"]])
        self.assertEqual(self.sent(machine), ["wipe", "wipe"])
        self.say(machine, obeyed=[made[0]["name"], made[1]["name"]])
        self.assertEqual(sorted(self.sent(machine)), ["leave", "wipe", "wipe"])
        self.assertEqual(self.states()[made[2]["name"]], "pending")

    def test_who_is_not_retired(self):
        silent = self.machine("silent")
        silent.status_file.unlink()
        self.assertIn("nobody knows its accounts", self.organization.error(
            "retire", "silent", "--key", self.key, "--yes", status=REFUSED))
        one, _ = self.machine("twin"), self.machine("twin")
        self.assertIn(one.id, json.dumps(self.organization.json(
            "retire", "twin", "--key", self.key, "--yes", status=USAGE)))
        self.organization.error("retire", "nosuch", "--key", self.key, "--yes", status=NOT_FOUND)
        self.machine("pc-1", ["a1" * 16])
        said = self.organization.fleet("retire", "pc-1", "--key", self.key, status=REFUSED).stderr
        self.assertIn("a1@contoso.com", said)
        self.assertFalse(self.orders.exists())
        self.organization.json("retire", "pc-1", "--key", self.key, "--yes")
        self.assertIn("already exists", self.organization.error(
            "retire", "pc-1", "--key", self.key, "--yes", status=NO))
        self.organization.json("retire", "pc-1", "--key", self.key, "--yes", "--force")


class Revoking(Office):
    def test_accounts_that_nobody_has_ordered_to_wipe_are_told(self):
        machine = self.machine(accounts=["a1" * 16, "b2" * 16])
        self.organization.json("engine", "init", "--server", "localhost")
        self.order("wipe", machine, "--account", "a1" * 16)
        said = self.organization.fleet("revoke", "pc-1", status=REFUSED).stderr
        for word in ("not obeyed 1 wipe", "No wipe of 1 account", "a stick alone", "--yes"):
            self.assertIn(word, said)
        self.say(machine)
        (self.orders / "wipe.json").unlink()
        said = self.organization.fleet("revoke", "pc-1", status=REFUSED).stderr
        self.assertNotIn("stick", said)
        # Named twice it is one.
        twice = self.organization.json("revoke", "pc-1", machine.id, "--yes")
        self.assertEqual(twice["machines"], [machine.id])


class Restoring(Office):
    def push(self, **rules):
        policies = self.workspace.root / "policies"
        policies.mkdir(exist_ok=True)
        (policies / "level2.json").write_text(json.dumps({**POLICY, **rules}))
        self.organization.json("push", policies, "--key", self.key, "--yes", "--local")
        return self.signed()

    def signed(self):
        envelope = self.organization.file("signed/level2.json")
        return (json.loads(base64.b64decode(envelope["payload"]))["serial"],
                json.loads(base64.b64decode(envelope["content"])))

    def restore(self, *words, status=DONE):
        return self.organization.json(
            "restore", "level2.json", *words, "--key", self.key, "--yes", status=status)

    def test_what_a_policy_was_is_signed_again(self):
        self.organization.error(
            "restore", "level2.json", "--key", self.key, "--yes", status=NOT_FOUND)
        first, _ = self.push(minimumPinLength=4)
        second, _ = self.push(minimumPinLength=6)
        third, _ = self.push(minimumPinLength=8)
        made = self.restore()
        serial, content = self.signed()
        self.assertEqual(content["minimumPinLength"], 6)
        self.assertEqual((made["serial"], made["missing"]), (serial, 0))
        self.assertGreater(serial, third)
        self.restore("--serial", str(first))
        self.assertEqual(self.signed()[1]["minimumPinLength"], 4)
        told = self.restore("--serial", "7", status=NOT_FOUND)["error"]
        self.assertIn(str(second), told["next"])
        # Nothing that was replaced is lost, nor what is signed now.
        self.restore("--serial", str(third))
        self.assertEqual(self.signed()[1]["minimumPinLength"], 8)
        (found,) = self.organization.json(
            "verify", self.organization.path / "signed" / "level2.json", "--root",
            self.organization.root)
        self.assertIsNone(found["refusal"])

    def test_twice_does_not_go_forward(self):
        first, _ = self.push(minimumPinLength=4)
        second, _ = self.push(minimumPinLength=6)
        third, _ = self.push(minimumPinLength=8)
        self.restore()
        before = self.signed()
        told = self.restore(status=REFUSED)["error"]
        self.assertIn(f"as it was with serial {second} already", told["message"])
        self.assertIn(f"--serial {third}, {first}", told["next"])
        self.assertEqual(self.signed(), before)

    def test_the_difference_is_shown_and_asked(self):
        self.push(minimumPinLength=4)
        self.push(minimumPinLength=6)
        before = self.signed()
        said = self.organization.fleet(
            "restore", "policy/all/level2.json", "--key", self.key, status=REFUSED).stderr
        self.assertIn("minimumPinLength: 6 → 4", said)
        self.assertEqual(self.signed(), before)
        self.assertIn("lacks the role policy", self.organization.error(
            "restore", "level2.json", "--key", self.organization.keys["bob"], "--yes",
            status=REFUSED))

    def test_it_says_whom_it_covers_and_closes_as_a_push_does(self):
        account = "a1" * 16
        self.machine(accounts=[account])
        self.push(deviceComplianceRequired=True, appActionIfDeviceComplianceRequired="block")
        self.push(deviceComplianceRequired=False)
        words = ["restore", "level2.json", "--key", self.key]
        said = self.organization.fleet(*words, status=REFUSED).stderr
        for word in ("all machines: 1 machine", "a1@contoso.com (pc-1)",
                     "level2.json closes all accounts that it covers"):
            self.assertIn(word, said)
        before = self.signed()
        for typed, status in (("level2", NO), ("level2.json", DONE)):
            self.assertEqual(self.signed(), before)
            terminal = Terminal(
                ["mamctl", "fleet", *words, "--organization", self.path],
                self.workspace.environment, columns=200)
            terminal.read(until=b"continue")
            terminal.type("yes\n")
            terminal.read(until=b"nevertheless")
            terminal.type(typed + "\n")
            self.assertEqual(terminal.finish()[0], status)
        self.assertTrue(self.signed()[1]["deviceComplianceRequired"])


class Former(FleetCase):
    def test_an_order_of_a_former_version_is_to_be_signed_anew(self):
        org = self.organization
        machine = org.add("pc-1")
        org.sign_time()
        for name in ("lock", "checkIn"):
            (org.path / "orders" / f"{name}.json").write_bytes(org.organization.order(
                name, machine.id, name="ab" * 16, keys=org.organization.keys["order"][:1]))
        wipe = org.order("wipe", machine, "cd" * 16)
        bundles = self.workspace.root / "bundles"
        said = self.fleet("bundle", "-o", bundles).stderr
        for name in ("lock", "checkIn"):
            self.assertIn(f"{name}.json is not sent: its nonce is not its own", said)
        self.assertIn("Remove it, and sign it anew: mamctl fleet order", said)
        # What is good is not held up.
        (sent,) = json.loads((bundles / "m" / f"{machine.id}.json").read_bytes())
        self.assertEqual(statement(json.dumps(sent))["name"], wipe)


if __name__ == "__main__":
    unittest.main()
