"""What the tests of scripts/dev bench share."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from running import PREFIX
from workspace import ROOT

sys.path[1:1] = [str(ROOT / "Tests" / name) for name in ("Bench", "Measure", "Programs")]
from options import parse
from sizes import TINY
from work import build


def programs_of_bench():
    """Builds once for a module what each run would build for itself."""
    directory = unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix=PREFIX))
    unittest.enterModuleContext(mock.patch.dict(os.environ))
    build(pathlib.Path(directory))
    unittest.enterModuleContext(mock.patch("measuring.build"))


def options(*words):
    found = parse(["--store", "tmpfs", "--rounds", "1", *words])
    found.sizes = TINY
    return found
