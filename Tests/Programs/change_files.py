"""What Python's library does to files, beside a plan that it reads and adds a line to.

    change_files.py PLAN
"""
import importlib
import pathlib
import shelve
import shutil
import subprocess
import sys
import tempfile

plan = pathlib.Path(sys.argv[1])
text = plan.read_text()
with tempfile.TemporaryDirectory() as place:
    (pathlib.Path(place) / "x").write_text(text)
    shutil.copytree(place, plan.parent / "tree")
with tempfile.TemporaryFile() as file:
    file.write(text.encode())
plan.write_text(text + "third line\n")
(plan.parent / "helper.py").write_text("value = 1")
sys.path.insert(0, str(plan.parent))
importlib.import_module("helper")
with shelve.open(str(plan.parent / "shelf")) as shelf:
    shelf["text"] = text
assert subprocess.run(["cat", plan], capture_output=True, text=True).stdout.startswith(text)
