"""The source tree that is unpacked, and what a search in it must find."""
import subprocess


class Archive:
    """`path`: a tar file. `entries`: what it holds; `lines`: those of its files that have
    `word`."""

    word = "unsigned long"

    def __init__(self, tree, path):
        self.path = path
        # Links may lead out of the tree, and what they lead to is not in it.
        subprocess.run(["tar", "-cf", path, "-C", tree, "."], check=True)
        listed = subprocess.run(["tar", "-tf", path], capture_output=True, check=True).stdout
        self.entries = listed.count(b"\n") - 1
        found = subprocess.run(["grep", "-rhF", self.word, tree], capture_output=True).stdout
        self.lines = found.decode(errors="replace").count("\n")
