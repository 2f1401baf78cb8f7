"""A machine before its workspace is made, an organisation with a real engine, and a code."""
import pathlib
import shutil
import tempfile
import unittest

from fleet_office import Office
from fleet_service import RULES
from nats_engine import Engine
from running import PREFIX
from workspace import Workspace

NEEDS = ("nats-server",)


class JoiningCase(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.engine = Engine(self.place / "server").start()
        self.addCleanup(self.engine.kill)
        self.office = Office(self.place / "office", self.engine)
        self.office.policy(RULES)
        self.office.time()
        self.office.push()
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.mount_point.rmdir()
        self.workspace.backing.rmdir()
        self.workspace.mount_point = self.mount_point = self.workspace.root / "Work"
        self.invitation, code = self.office.invite()
        self.code = self.place / "pc-1.code"
        self.code.write_text(code)
