"""Running `mamctl verify`, and making files that it has something to say about."""
import json
import shutil

from workspace import ANN, BLOCK, DONE, WorkspaceCase, pattern, wait_until

PLAIN = pattern(20_000)  # block 0 and five more; the last holds 704 bytes


def changed(data, at, new):
    return data[:at] + new + data[at + len(new):]


def zeroed(data, first, last):
    """With blocks `first` to `last` all zero."""
    return changed(data, first * BLOCK, bytes((last + 1 - first) * BLOCK))


class VerifyCase(WorkspaceCase):
    """Files are laid into the backing directory while nothing is mounted."""

    def setUp(self):
        super().setUp()
        path = self.write(self.directory / "good", PLAIN)
        self.workspace.unmount()
        self.good = self.backing_of(path).read_bytes()

    def tearDown(self):
        """Nothing of a test is left, and the workspace is mounted for the next."""
        if self.workspace.mount_point.is_mount():
            self.workspace.unmount()
        shutil.rmtree(self.backing_of(self.directory))
        self.mount()

    def mount(self):
        self.workspace.mount().unlock()

    def log(self):
        return self.workspace.daemon_log.read_text()

    def recovered(self):
        """Waits until what a crash has left is mended; the account is unlocked."""
        self.workspace.unlock()
        begin, end = "checking all files", "all files checked"
        wait_until(lambda: self.log().rfind(end) > self.log().rfind(begin))

    def lay(self, **files):
        for name, data in files.items():
            self.disk(name).write_bytes(data)

    def disk(self, name):
        return self.backing_of(self.directory / name)

    def verify(self, *options, path=None, status=DONE):
        """Of this test's directory: problem, outcome and blocks of each file; with the workspace
        mounted or not."""
        mounted = self.workspace.mount_point.is_mount()
        if path is None:
            path = self.directory if mounted else self.backing_of(self.directory)
        unlock = [] if mounted or "locked" in options else [
            "--unlock", ANN, "--passfile", self.workspace.passfile]
        result = self.workspace.ctl(
            "verify", path, "--json", *unlock,
            *(option for option in options if option != "locked"), status=status)
        answer = json.loads(result.stdout)
        self.findings, self.summary = answer["findings"], answer["summary"]
        found = {}
        for finding in self.findings:
            blocks = [(each["first"], each["last"]) for each in finding["blocks"]]
            name = finding["path"].removeprefix(self._testMethodName + "/")
            found.setdefault(name, []).append((finding["problem"], finding["outcome"], *blocks))
        return {name: sorted(each) for name, each in found.items()}

    def check_tree(self, **expected):
        """Mounted, these files have just this content."""
        for name, data in expected.items():
            self.assertEqual((self.directory / name).read_bytes(), data, name)
