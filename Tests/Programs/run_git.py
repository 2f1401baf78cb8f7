"""git: everything that makes and rewrites many small files and a few large ones."""
import random

from check import Check
from workspace import ROOT


def whole_life(work):
    git = Repository(work, work.directory / "clone")
    work.run("git", "clone", "--quiet", "--no-local", ROOT, git.directory)
    work.place.remount()
    git("fsck", "--strict", "--full")
    work.demand(git("status", "--porcelain") == "", "a fresh clone is not clean")
    git("checkout", "-q", "-b", "one")
    git.commits(work.choose(15, 100), "one")
    git("checkout", "-q", "-b", "two", "HEAD~10")
    git.commits(work.choose(10, 60), "two")
    git("merge", "-q", "-m", "both", "one")
    git("rebase", "-q", "--force-rebase", "HEAD~8")
    git("repack", "-q", "-a", "-d")
    git.commits(5, "after")
    git("gc", "-q", "--aggressive", "--prune=now")
    work.place.remount()
    git("fsck", "--strict", "--full")
    git("worktree", "add", "-q", work.directory / "tree", "one")
    git("bundle", "create", "-q", work.outside / "bundle", "--all")
    work.run("git", "clone", "--quiet", work.outside / "bundle", work.outside / "again")
    # The same commits outside give the same files.
    work.run(
        "git", "archive", "--format=tar", "origin/two", "--output", work.outside / "a.tar",
        cwd=work.outside / "again")
    git("archive", "--format=tar", "two", "--output", work.outside / "b.tar")
    work.run("cmp", work.outside / "a.tar", work.outside / "b.tar")
    return f"{git('rev-list', '--count', '--all').strip()} commits"


class Repository:
    def __init__(self, work, directory):
        self.work, self.directory, self.random = work, directory, random.Random(1)

    def __call__(self, *words):
        return self.work.run("git", *words, cwd=self.directory)

    def commits(self, count, name):
        """Each changes some files, makes one and removes one."""
        folder = self.directory / f"files-{name}"
        folder.mkdir(exist_ok=True)
        for number in range(count):
            (folder / f"{number}").write_bytes(self.random.randbytes(self.random.randrange(30_000)))
            (folder / "all").write_text(f"{number}\n" * (number + 1))
            (folder / f"{number - 3}").unlink(missing_ok=True)
            self("add", "-A")
            self("commit", "-qm", f"{name} {number}")


CHECKS = [Check("git: clone, commit, merge, rebase, repack, gc, fsck", whole_life)]
