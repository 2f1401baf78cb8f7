"""What only a managed workspace can do: owners, classes, accounts and their passphrases."""
import os

import workspace
from model import since
from workload import Workload

ANN, BOB, PERSONAL = workspace.ANN, workspace.BOB, workspace.PERSONAL
OWNERS, CLASSES = (ANN, BOB, PERSONAL), "ACD"
PASSPHRASES = "first", "second", "third", "fourth"


def passphrase_label(account):
    return "passphrase of " + account


class ManagedWorkload(Workload):
    ACTIONS = {
        **Workload.ACTIONS, "give": 5, "give_unmanaged": 2, "change_class": 4,
        "change_passphrase": 1}

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.place = self.program.workspace

    def run(self, steps):
        self.register(BOB)
        super().run(steps)

    def label(self, node):
        with self.step() as step:
            node.label(step, "owner", ANN)

    def create(self, path=None):
        if len(self.model.live) == 4:
            self.register("carol@contoso.com")
        return super().create(path)

    # Accounts: safe when the command returns

    def register(self, account):
        label = passphrase_label(account)
        if label in self.model.labels.labels:
            return
        with self.step() as step:
            self.model.labels.label(step, label, PASSPHRASES[0])
            self.place.register(account, self.place.secret(PASSPHRASES[0], PASSPHRASES[0]))

    def change_passphrase(self):
        label = passphrase_label(BOB)
        old = self.model.labels.labels[label][-1][1]
        new = self.random.choice([word for word in PASSPHRASES if word != old])
        with self.step() as step:
            self.model.labels.label(step, label, new)
            self.place.serving(
                "account passphrase", BOB, "--passfile", self.place.secret(old, old),
                "--new-passfile", self.place.secret(new, new))

    # Owners and classes: old or new, and new once the file is synced

    def give(self, owner=None):
        node = self.pick()
        owner = owner or self.random.choice(OWNERS)
        self.drop(node)
        with self.step() as step:
            node.label(step, "owner", owner)
            self.place.ctl("owner", "--set", owner, "--unmanaged", self.at(node.path))
        self.maybe_sync(node)

    def give_unmanaged(self):
        self.give(PERSONAL)

    def change_class(self):
        node = self.pick()
        if node.labels["owner"][-1][1] == PERSONAL:
            return
        with self.step():
            self.place.ctl("class", "--set", self.random.choice(CLASSES), self.at(node.path))
        self.maybe_sync(node)


def owner_faults(node, path, done, last):
    """The owner that the mount tells is one that the file may have."""
    safe = node.acknowledged(done)
    history = node.labels.get("owner", [])
    if safe is None or not history:
        return []
    owner = os.getxattr(path, "user.mam.owner").decode()
    allowed = since(history, safe, last)
    return [] if owner in allowed else [("owner", f"it belongs to {owner}, expected {allowed}")]
