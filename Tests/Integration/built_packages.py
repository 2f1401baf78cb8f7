"""Debian packages, as the scripts build them; each once for a module's tests."""
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from running import PREFIX
from workspace import ROOT

NEEDS = ("binutils", "dpkg-dev", "gettext", "go-md2man")

# The compression was most of the work, and each installation has to undo it.
QUICKLY = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}


@functools.cache
def build(script, name):
    """What scripts/`script` makes; another `name` builds it again."""
    if not os.access(ROOT / ".build", os.W_OK):
        raise unittest.SkipTest("builds in the checkout, which is another user's")
    output = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX + name))
    unittest.addModuleCleanup(shutil.rmtree, output)
    said = subprocess.run(
        [ROOT / "scripts" / script, "--output", output], capture_output=True, text=True,
        env={**os.environ, **QUICKLY})
    if said.returncode != 0:
        raise AssertionError(f"scripts/{script}: status {said.returncode}\n{said.stderr[-4000:]}")
    return [pathlib.Path(line) for line in said.stdout.splitlines()]
