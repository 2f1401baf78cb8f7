"""What `mamfleet pull` keeps of a machine's word that it obeyed an order."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from fleet_directory import Machine
from fleet_office import Office
from nats_engine import Engine
from running import PREFIX

NEEDS = ("nats-server",)


class Directory(Office):
    """With what a machine's reports are made of."""

    @property
    def now(self):
        return int(time.time())

    def documents_of(self, _):
        return {}


class Obeyed(unittest.TestCase):
    def setUp(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, place)
        self.engine = Engine(place / "server").start()
        self.addCleanup(self.engine.kill)
        self.office = Directory(place / "office", self.engine)
        self.machine = Machine(self.office, "pc")
        self.machine.register()
        self.office.push()

    def pull(self, **changes):
        """What the machine says next."""
        client = self.engine.administrator()
        self.addCleanup(client.close)
        client.store(f"status.{self.machine.id}", self.machine.status(**changes))
        self.office.pull()

    def states(self):
        told = subprocess.run(
            ["mamctl", "fleet", "orders", "--json", "--organization", self.office.path],
            capture_output=True, check=True, timeout=90)
        return {order["nonce"]: order["state"] for order in json.loads(told.stdout)}

    def test_the_last_status_that_has_it(self):
        strange = "../../machines/x"
        nonce = self.office.order("lock", self.machine.id)
        self.pull(obeyed=[nonce, "f" * 32, strange])
        kept = self.office.path / "reports" / "obeyed"
        self.assertFalse(kept.exists())
        for _ in range(2):
            self.pull(obeyed=[])
            self.assertEqual(
                [path.relative_to(kept) for path in kept.rglob("*.json")],
                [pathlib.Path(self.machine.id, f"{nonce}.json")])
            self.assertEqual(self.states(), {nonce: "obeyed"})
        # By the machine's signature alone.
        (kept / self.machine.id / f"{nonce}.json").write_bytes(
            Machine(self.office, "other").status(obeyed=[nonce]))
        self.assertEqual(self.states(), {nonce: "pending"})


if __name__ == "__main__":
    unittest.main()
