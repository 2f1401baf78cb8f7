"""Orders by the names of machines and accounts, as the register and the reports have them."""
import json
import unittest

from carrier import Organization
from fleet_directory import KeyedDirectory, Machine
from workspace import DONE, NOT_FOUND, USAGE, Workspace

ANN = "ann@contoso.com"


class Names(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.directory = KeyedDirectory(self.organization)
        self.out = self.workspace.root / "order.json"
        self.machine = self.add("pc-17", ANN, "bob@contoso.com")

    def add(self, name, *accounts):
        machine = Machine(self.directory, name)
        machine.register()
        machine.say(accounts=[
            machine.account(number, name=account) for number, account in enumerate(accounts)])
        return machine

    def test_an_audit_of_nobody_is_no_audit(self):
        self.organization.fleet("audit", "--machine", "pc-17")
        said = self.organization.error("audit", "--machine", "pc-71", status=NOT_FOUND)
        self.assertIn("no machine has the id or the name 'pc-71'", said)

    def order(self, action, machine, *account, status=DONE, root=None):
        said = self.organization.fleet(
            "order", action, "--root", root or self.organization.root, "--key",
            self.organization.keys["ann"], "-o", self.out, "--force", "--machine", machine,
            *[word for name in account for word in ("--account", name)], status=status)
        return said.stderr

    def signed(self):
        (found,) = self.organization.json(
            "verify", self.out, "--root", self.organization.root, status=None)
        return found["audience"], found["account"]

    def test_by_name_and_by_id(self):
        account = self.machine.account()["id"]
        meant = f"machine:{self.machine.id}", account
        for machine in ("pc-17", self.machine.id):
            for name in (ANN, ANN.upper(), account):
                self.out.unlink(missing_ok=True)
                said = self.order("wipe", machine, name)
                self.assertEqual(self.signed(), meant)
                # Both are shown, whichever was typed.
                self.assertIn(f"wipe: {ANN} ({account}) on pc-17 ({self.machine.id})", said)
        self.order("lock", "pc-17")
        self.assertEqual(self.signed(), (f"machine:{self.machine.id}", None))

    def test_unknown_and_ambiguous_names(self):
        said = self.order("lock", "pc-71", status=NOT_FOUND)
        self.assertIn("which no machine is called; did you mean 'pc-17'?", said)
        said = self.order("wipe", "pc-17", "eve@contoso.com", status=NOT_FOUND)
        self.assertIn(f"has {ANN}, bob@contoso.com", said)
        twins = [self.add("twin", ANN, ANN) for _ in range(2)]
        said = self.order("lock", "twin", status=USAGE)
        for twin in twins:
            self.assertIn(twin.id, said)
        said = self.order("wipe", twins[0].id, ANN, status=USAGE)
        for number in range(2):
            self.assertIn(twins[0].account(number)["id"], said)
        silent = Machine(self.directory, "silent")
        silent.register()
        said = self.order("wipe", "silent", ANN, status=NOT_FOUND)
        self.assertIn("has told no accounts", said)
        self.assertIn(
            "none is named for machine", self.order("wipe", "pc-17", status=USAGE))
        self.assertFalse(self.out.exists())

    def test_a_machine_cannot_take_anothers_name(self):
        liar = self.add("other", ANN)
        liar.say(host="pc-17", accounts=[liar.account(name=ANN)])
        self.order("wipe", "pc-17", ANN)
        self.assertEqual(self.signed()[0], f"machine:{self.machine.id}")
        # Where the register has no name, its own is all that there is.
        liar.register(name="")
        said = self.order("wipe", "pc-17", ANN, status=USAGE)
        self.assertIn(f"pc-17 ({liar.id})", said)
        liar.say(host="pc-19", accounts=[liar.account(name=ANN)])
        self.order("wipe", "pc-19", ANN)
        self.assertEqual(self.signed()[0], f"machine:{liar.id}")

    def test_without_a_directory_ids_are_needed(self):
        self.organization.path.joinpath("root.json").rename(self.workspace.root / "root.json")
        root = self.workspace.root / "root.json"
        said = self.order("lock", "pc-17", status=USAGE, root=root)
        self.assertIn("--organization DIR", said)
        self.order("lock", self.machine.id, root=root)

    def test_a_list_and_the_second_signer(self):
        listed, out = self.workspace.root / "lost", self.workspace.root / "orders"
        other = self.add("pc-18", ANN)
        listed.write_text(f"pc-17 {ANN}\n{other.id} {ANN}\n")
        made = self.organization.json(
            "order", "wipe", "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "-o", out, "--machines", listed)
        self.assertEqual(
            [(each["audience"], each["account"]) for each in made],
            [(f"machine:{machine.id}", machine.account()["id"])
             for machine in (self.machine, other)])
        listed.write_text("pc-17 nobody\n")
        said = self.organization.json(
            "order", "wipe", "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "-o", out, "--machines", listed, status=NOT_FOUND)
        self.assertIn("lost, line 1: the account is 'nobody'", json.dumps(said))
        shown = self.organization.fleet(
            "cosign", *sorted(out.iterdir()), "--root", self.organization.root, "--key",
            self.organization.keys["bob"], "--yes").stderr
        for word in ("pc-17", "pc-18", f"{ANN} ({other.account()['id']})"):
            self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
