"""Measures a wipe: one of two owners, with many files; and proves what is left.

    measure_wipe.py [--files N] [--others N] [--copies N]

Copies of some files are kept outside before the wipe. Afterwards the backing directory is looked
through without the daemon for a header that names a key of the wiped account, the second decoder
and `mamctl decrypt` are tried on every copy, and the other owner's files are compared with what
they were, byte for byte. scripts/measure-wipe runs it.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

from wipe_tree import key_ids, others, owned
from workspace import ANN, BOB, Workspace

PER_DIRECTORY = 1000
CONTENT = b"what the organisation wants gone\n" * 30

# Runs as the owner: makes COUNT files of CONTENT below DIRECTORY, PER_DIRECTORY in each.
MAKER = """
import os, sys
directory, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
content = sys.stdin.buffer.read()
for number in range(count):
    place = os.path.join(directory, str(number // size))
    if number % size == 0:
        os.makedirs(place)
    with open(os.path.join(place, str(number)), "wb") as file:
        file.write(content)
os.sync()
"""


def make(workspace, owner, directory, count):
    start = time.monotonic()
    subprocess.run(
        ["mamctl", "run", "--workspace", workspace.name, "--identity", owner, "--", sys.executable,
        "-c", MAKER,
         str(directory), str(count), str(PER_DIRECTORY)],
        input=CONTENT, env=workspace.environment, check=True)
    return time.monotonic() - start


def keep_copies(workspace, files, count):
    """Every so many-th backing file, outside the workspace."""
    place = workspace.root / "copies"
    place.mkdir()
    for path in files[:: max(1, len(files) // count)][:count]:
        shutil.copy(path, place / path.name)
    copies = sorted(place.iterdir())
    # They can be opened now: that they cannot afterwards must be the wipe's doing.
    assert all(workspace.decode(copy) == CONTENT for copy in copies[:3])
    return copies


def opened(workspace, copies):
    """The copies that something still opens."""
    found = []
    for copy in copies:
        plain = workspace.root / "plain"
        result = workspace.serving("decrypt", copy, "-o", plain, "--force", status=None)
        decoder = subprocess.run(
            ["/usr/bin/python3", HERE.parent / "decoder.py", "--state", workspace.state,
            "--passfile", workspace.passfile,
             copy], capture_output=True)
        if result.returncode == 0 or decoder.returncode == 0 or plain.exists():
            found.append(copy)
    return found


def measure(options):
    workspace = Workspace(settings={"MultiIdentity": True, "MultiManagedIdentities": True})
    try:
        workspace.init().mount().register(ANN).register(BOB)
        keys = key_ids(workspace)
        for owner, count in ((ANN, options.files), (BOB, options.others)):
            seconds = make(workspace, owner, workspace.path(owner), count)
            print(f"made {count:,} files of {owner} in {seconds:.1f} s")
        mine = owned(workspace, keys)
        assert len(mine) == options.files, len(mine)
        before = others(workspace, keys)
        copies = keep_copies(workspace, mine, options.copies)
        start = time.monotonic()
        answer = json.loads(
            workspace.serving("wipe", ANN, "--confirm", ANN, "--json", timeout=3600).stdout)
        seconds = time.monotonic() - start
        print(f"wipe: {seconds:.1f} s, {options.files / seconds:,.0f} files/s")
        print("answer:", json.dumps(answer, sort_keys=True))
        left = owned(workspace, keys)
        print(f"files on disk that name a key of the account: {len(left)}")
        print(
            f"of {len(copies)} copies kept outside, opened by any means: "
            f"{len(opened(workspace, copies))}")
        same = others(workspace, keys) == before
        print(f"files of others: {'the same, byte for byte' if same else 'CHANGED'}")
        return 0 if answer["complete"] and not left and same else 1
    finally:
        workspace.close()
        subprocess.run(["rm", "-rf", workspace.root])


def main():
    parser = argparse.ArgumentParser(description="how long a wipe takes, and what it leaves")
    parser.add_argument(
        "--files", type=int, default=100_000, help="of the owner that is wiped (100000)")
    parser.add_argument("--others", type=int, default=10_000, help="of the other owner (10000)")
    parser.add_argument(
        "--copies", type=int, default=100, help="kept outside, and tried afterwards (100)")
    sys.exit(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
