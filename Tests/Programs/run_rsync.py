"""rsync: a tree in and out, with everything it can keep; in place; and interrupted."""
import pathlib
import random
import shutil
import subprocess
import time

from check import Check

ALL = ("-aHAXS", "--numeric-ids")


def a_tree(work):
    """Real files, and some of each kind that rsync treats differently."""
    tree = work.outside / "tree"
    shutil.copytree(
        pathlib.Path("/usr/include", work.choose("linux", "")), tree, symlinks=True,
        ignore_dangling_symlinks=True)
    kinds = tree / "kinds"
    kinds.mkdir()
    (kinds / "empty").touch()
    (kinds / "large").write_bytes(random.Random(1).randbytes(work.choose(8 << 20, 200 << 20)))
    (kinds / "link").symlink_to("large")
    (kinds / "hard").hardlink_to(kinds / "large")
    with open(kinds / "sparse", "wb") as file:
        file.seek(5 << 20)
        file.write(b"end")
        file.truncate(9 << 20)
    (kinds / "odd \n name \udcff").write_text("bytes")
    work.run("setfacl", "-m", "u:777:r", kinds / "empty")
    work.run("setfattr", "-n", "user.note", "-v", "value", kinds / "empty")
    return tree


def same(work, one, other):
    different = work.run(
        "rsync", *ALL, "--checksum", "--delete", "--dry-run", "--itemize-changes", f"{one}/",
        f"{other}/")
    work.demand(different == "", f"rsync --checksum finds differences: {different[:300]}")


def in_and_out(work):
    tree, there, back = a_tree(work), work.directory / "tree", work.outside / "back"
    work.run("rsync", *ALL, f"{tree}/", f"{there}/")
    work.place.remount()
    same(work, tree, there)
    work.run("rsync", *ALL, f"{there}/", f"{back}/")
    same(work, tree, back)


def in_place(work):
    tree, there = a_tree(work), work.directory / "tree"
    work.run("rsync", *ALL, f"{tree}/", f"{there}/")
    chance = random.Random(2)
    with open(tree / "kinds" / "large", "r+b") as file:
        for _ in range(50):
            file.seek(chance.randrange(8 << 20))
            file.write(chance.randbytes(chance.randrange(20_000)))
    options = [*ALL, "--no-whole-file", "--inplace", "--checksum"]
    work.run("rsync", *options, f"{tree}/", f"{there}/")
    with open(tree / "kinds" / "large", "ab") as file:
        file.write(chance.randbytes(100_000))
    work.run("rsync", "-a", "--append-verify", tree / "kinds" / "large", there / "kinds" / "large")
    work.place.remount()
    work.run("rsync", *options, f"{tree}/", f"{there}/")
    same(work, tree, there)


def interrupted(work):
    tree, there = a_tree(work), work.directory / "tree"
    for number in range(work.choose(5, 30)):
        with subprocess.Popen(
                ["rsync", *ALL, "--partial", "--delay-updates", "--delete", f"{tree}/",
                f"{there}/"], stderr=subprocess.DEVNULL) as process:
            time.sleep(0.05 * (number + 1))
            process.kill()
    work.run("rsync", *ALL, "--partial", "--delay-updates", "--delete", f"{tree}/", f"{there}/")
    work.place.remount()
    same(work, tree, there)


CHECKS = [
    Check("rsync: links, holes, ACLs, attributes, in and out", in_and_out),
    Check("rsync --inplace, --append-verify", in_place),
    Check("rsync killed and continued", interrupted)]
