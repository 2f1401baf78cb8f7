"""Every call on every kind of path."""
import os
import stat

from posix_calls import CALLS
from posix_place import Scene, acting, users

LONGEST = "n" * 255
# 4095 bytes and 4096: PATH_MAX counts the zero.
FARTHEST, TOO_FAR = "./" * 2045 + "place", "./" * 2045 + "place-"

PATHS = {
    "a file": "file",
    "a file with a slash": "file/",
    "below a file": "file/child",
    "an empty directory": "empty",
    "an empty directory with a slash": "empty/",
    "a directory": "full",
    "a directory's dot": "full/.",
    "a directory's dots": "full/..",
    "in a directory": "full/child",
    "dot": ".",
    "nothing": "",
    "a link to a file": "link",
    "a link to a file with a slash": "link/",
    "a link to a directory": "dirlink",
    "a link to a directory with a slash": "dirlink/",
    "through a link": "dirlink/child",
    "a dangling link": "dangling",
    "a dangling link with a slash": "dangling/",
    "below a dangling link": "dangling/child",
    "a link to itself": "loop",
    "below a link to itself": "loop/child",
    "forty links": "chain-40",
    "forty-one links": "chain-41",
    "a fifo": "fifo",
    "a socket": "socket",
    "a missing name": "missing",
    "a missing name with a slash": "missing/",
    "in a missing directory": "missing/child",
    "in a shut directory": "shut/child",
    "the longest name": LONGEST,
    "a name too long": LONGEST + "n",
    "a name far too long": "n" * 1025,
    "in a name too long": LONGEST + "n/child",
    "the longest path": FARTHEST,
    "a path too long": TOO_FAR,
    "a name of odd bytes": b"\xff\x01\n\\ ",
}
assert len(FARTHEST) == 4095 and len(TOO_FAR) == 4096

# Forty links in a row are far too many to make anew each time: only where they can matter.
CHAINS = {"forty links", "forty-one links"}
CHAIN_CALLS = {"stat", "open to read", "open creating", "chmod", "access", "truncate", "list"}


def prepare(with_chain):
    """What the paths lead to, all owned by the user that acts."""
    for name in ("file", "source", "full/child"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(b"content of " + name.encode())
    for name in ("empty", "folder", "shut"):
        os.mkdir(name)
    os.chmod("shut", 0)
    for name, target in (
            ("link", "file"), ("dirlink", "full"), ("dangling", "none"), ("loop", "loop")):
        os.symlink(target, name)
    os.mkfifo("fifo", 0o600)
    os.mknod("socket", stat.S_IFSOCK | 0o600)
    if with_chain:
        os.symlink("file", "chain-1")
        for number in range(2, 42):
            os.symlink(f"chain-{number - 1}", f"chain-{number}")


def run(place):
    for actor in [user for user in users() if user.name in ("root", "ann", "self")]:
        for has_chain in (False, True):
            with Scene(place, lambda: prepare_as(actor, has_chain)) as scene:
                for what, path in PATHS.items():
                    if (what in CHAINS) == has_chain:
                        run_calls(scene, actor, what, path)


def prepare_as(actor, with_chain):
    with acting(actor):
        prepare(with_chain)


def run_calls(scene, actor, what, path):
    for name, action in CALLS.items():
        if what not in CHAINS or name in CHAIN_CALLS:
            scene.step(
                f"{name}: {what}, by {actor.name}", lambda: action(path), actor,
                leaves_traces=name.startswith("setxattr"))
