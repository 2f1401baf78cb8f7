"""Real programs on real files. MAMD_LONG=1 runs the long forms and prints their figures."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import time

from workspace import LONG, ROOT, WorkspaceCase, sealed_size

NEEDS = ("fio", "git", "rsync", "sqlite3", "gcc", "make")

INCLUDE = pathlib.Path("/usr/include")
# Of small files, and of rows.
COUNT = 10_000 if LONG else 800


class Programs(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / f"outside-{self._testMethodName}"
        self.outside.mkdir()
        # These sources may be another user's; git hears of that in a file only.
        (self.outside / "gitconfig").write_text("[safe]\n\tdirectory = *\n")
        self.start = time.monotonic()

    def tearDown(self):
        shutil.rmtree(self.outside)
        shutil.rmtree(self.directory)

    def program(self, *command, cwd=None, timeout=3600):
        environment = {
            # A hook of git's that runs the tests has a repository of its own.
            **{name: value for name, value in self.workspace.environment.items()
               if not name.startswith("GIT_")},
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": self.outside / "gitconfig"}
        result = subprocess.run(
            list(map(os.fspath, command)), capture_output=True, text=True, errors="replace",
            cwd=cwd or self.directory, timeout=timeout, env=environment)
        self.assertEqual(
            result.returncode, 0, f"{command}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
        return result.stdout

    def figure(self, text):
        print(f"{self._testMethodName}: {text}; {time.monotonic() - self.start:.1f} s", flush=True)

    def tree(self):
        """A real source tree: all of /usr/include, or about 8 MB of it."""
        if LONG:
            return INCLUDE
        chosen, size = self.outside / "tree", 0
        for path in sorted(INCLUDE.rglob("*")):
            if path.is_file() and not path.is_symlink() and size < 8 << 20:
                target = chosen / path.relative_to(INCLUDE)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
                size += path.stat().st_size
        return chosen

    def drop_caches(self):
        self.workspace.remount()

    def test_git_clone_and_fsck(self):
        # Of its own: others may commit to these sources meanwhile.
        source = self.outside / "repository"
        if LONG and (ROOT / ".git").exists():
            self.program("git", "clone", "--quiet", "--bare", f"file://{ROOT}", source)
        else:
            shutil.copytree(ROOT / "Tests" / "Integration", source)
            self.program("git", "init", "-q", cwd=source)
            self.program("git", "add", "-A", cwd=source)
            self.program("git", "commit", "-qm", "all", cwd=source)
        self.program("git", "clone", "--quiet", "--no-local", source, "clone")
        clone = self.directory / "clone"
        self.drop_caches()
        self.program("git", "fsck", "--strict", "--full", cwd=clone)
        self.assertEqual(self.program("git", "status", "--porcelain", cwd=clone), "")
        self.assertEqual(
            self.program("git", "rev-parse", "HEAD", cwd=clone),
            self.program("git", "rev-parse", "HEAD", cwd=source))
        for number in range(5):
            (clone / "new-file").write_text(f"{number}\n" * 1000)
            self.program("git", "add", "-A", cwd=clone)
            self.program("git", "commit", "-qm", str(number), cwd=clone)
        self.program("git", "gc", "-q", cwd=clone)
        self.program("git", "fsck", "--strict", "--full", cwd=clone)
        self.figure(
            f"clone, 5 commits, gc and fsck of "
            f"{self.program('git', 'rev-list', '--count', 'HEAD', cwd=clone).strip()} commits")

    def test_tar_in_and_out(self):
        tree = self.tree()
        archive = self.outside / "in.tar"
        self.program("tar", "-C", tree, "-cf", archive, ".")
        (self.directory / "tree").mkdir()
        self.program("tar", "-C", self.directory / "tree", "-xf", archive)
        self.drop_caches()
        self.program("diff", "-r", "--no-dereference", tree, self.directory / "tree")
        # Out again: the archive itself must be the same, names, modes, times and content.
        options = ["--sort=name", "--numeric-owner", "-cf"]
        self.program("tar", "-C", tree, *options, self.outside / "one.tar", ".")
        self.program("tar", "-C", self.directory / "tree", *options, self.outside / "two.tar", ".")
        if os.getuid() == 0:
            self.program("cmp", self.outside / "one.tar", self.outside / "two.tar")
        self.figure(f"tar of {archive.stat().st_size >> 20} MiB in and out")

    def test_small_files(self):
        folder = self.directory / "small"
        folder.mkdir()
        for number in range(COUNT):
            with open(folder / str(number), "wb") as file:
                file.write(b"%d\n" % number * (number % 50))
        self.drop_caches()
        for number in range(COUNT):
            with open(folder / str(number), "rb") as file:
                self.assertEqual(file.read(), b"%d\n" % number * (number % 50))
        self.program("rsync", "-a", folder, self.outside)
        self.program("diff", "-r", folder, self.outside / "small")
        shutil.rmtree(folder)
        self.assertFalse(self.backing_of(folder).exists())
        self.figure(f"{COUNT} small files written, read, copied out, removed")

    def test_sqlite_inserts(self):
        script = self.outside / "script.sql"
        for mode, per_transaction in (("wal", 1), ("delete", 100)):
            lines = [
                f"pragma journal_mode={mode};",
                "create table t(id integer primary key, value text);"]
            for number in range(COUNT):
                if number % per_transaction == 0:
                    lines.append("begin;")
                lines.append(f"insert into t values({number}, 'value number {number}');")
                if number % per_transaction == per_transaction - 1:
                    lines.append("commit;")
            script.write_text("\n".join(lines))
            database = self.directory / f"{mode}.db"
            self.program("sqlite3", database, f".read {script}")
            self.drop_caches()
            answer = self.program(
                "sqlite3", database, "pragma integrity_check; select count(*), sum(id) from t;")
            self.assertEqual(answer.split(), ["ok", f"{COUNT}|{sum(range(COUNT))}"])
        self.figure(f"{COUNT} inserts in each of two journal modes, integrity_check ok")

    def test_fio_verify(self):
        size = "64m" if LONG else "8m"
        length = ["--time_based", "--runtime=60"] if LONG else []
        for name, options in {
            "random": ["--rw=randwrite", "--bsrange=512-65536", "--bs_unaligned"],
            "sequential": ["--rw=write", "--bs=70001"],
            "mapped": ["--rw=randwrite", "--bs=4096", "--ioengine=mmap"],
        }.items():
            output = self.program(
                "fio", f"--name={name}", "--ioengine=psync", *options, f"--size={size}",
                "--numjobs=3", "--verify=crc32c", "--do_verify=1", "--verify_fatal=1",
                "--end_fsync=1", "--group_reporting", f"--directory={self.directory}", *length)
            self.assertIn("err= 0", output)
        self.figure("fio --verify=crc32c, 3 jobs each: random unaligned, sequential, mapped")

    def test_large_file(self):
        chunks = 2048 if LONG else 128
        path, digest = self.directory / "large", hashlib.sha256()
        seed = os.urandom(1 << 20)
        with open(path, "wb") as file:
            for number in range(chunks):
                chunk = number.to_bytes(8, "little") + seed[8:]
                digest.update(chunk)
                file.write(chunk)
        written = time.monotonic()
        self.assertEqual(path.stat().st_size, chunks << 20)
        self.drop_caches()
        again = time.monotonic()
        self.assertEqual(self.program("sha256sum", path).split()[0], digest.hexdigest())
        self.assertEqual(self.backing_of(path).stat().st_size, sealed_size(chunks << 20))
        self.figure(
            f"{chunks} MiB written with {chunks / (written - self.start):.0f} MiB/s, "
            f"read by sha256sum with {chunks / (time.monotonic() - again):.0f} MiB/s")
