"""A tree of several owners, and what is left of it on disk."""
import contextlib
import os
import pathlib
import shutil

from workspace import ANN, BOB, PERSONAL, WorkspaceCase, pattern, tree_digest

SIZES = (0, 1, 3040, 5000, 100_000)


def write_all(workspace, owner, directory, contents):
    """Files of one owner, by one program that acts for it."""
    staging = workspace.root / "staging"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    for name, content in contents.items():
        (staging / name).write_bytes(content)
    workspace.run_as(
        owner, "sh", "-c", 'cp -r "$1/." "$2/" && sync "$2"/*', "sh", staging, directory)
    return [directory / name for name in contents]


def populate(workspace, directory):
    """Files of ANN, BOB, an unmanaged owner and nobody, with links, and in the hidden directory."""
    for name in ("deep/er", "empty", "links"):
        (directory / name).mkdir(parents=True)
    odd = os.fsdecode(b"odd \xff\n name")
    for owner, place in (
            (ANN, directory), (ANN, directory / "deep" / "er"), (BOB, directory / "deep")):
        contents = {f"{owner} {size}": pattern(size, size) for size in SIZES}
        write_all(workspace, owner, place, {**contents, odd + owner[0]: b"odd"})
        os.link(place / f"{owner} 5000", directory / "links" / f"{owner} {place.name}")
    write_all(workspace, PERSONAL, directory, {"personal": b"mine"})
    os.symlink(f"{ANN} 5000", directory / "symlink")
    # What nobody made through the mount: foreign, empty, and a header that only looks like one.
    backing = workspace.on_disk(directory.relative_to(workspace.mount_point))
    (backing / "foreign").write_bytes(pattern(7000, 7))
    (backing / "nothing").touch()
    (backing / "damaged").write_bytes((backing / f"{ANN} 5000").read_bytes()[:900])
    for place in (
            workspace.on_disk(".mamd", "work"), workspace.on_disk(".mamd", "quarantine", "deep")):
        place.mkdir(parents=True, exist_ok=True)
        for owner, source in ((ANN, backing), (BOB, backing / "deep")):
            shutil.copy(source / f"{owner} 5000", place / f"{directory.name} {owner}")


def key_ids(workspace, account=ANN):
    """The key ids in the account's keybag: FORMAT.md, section 3."""
    keybag = (
        workspace.state / "keybags" / f"{workspace.account(account)['id']}.keybag").read_bytes()
    return {keybag[offset : offset + 16] for offset in range(688, 752, 16)}


def owned(workspace, keys):
    """The backing files whose header names one of the keys."""
    found = []
    for directory, _, names in os.walk(workspace.backing):
        for path in (pathlib.Path(directory, name) for name in names):
            if path.is_file() and not path.is_symlink():
                header = path.read_bytes()[:1024]
                if len(header) == 1024 and header[32:48] in keys:
                    found.append(path)
    return found


def others(workspace, keys):
    """All that is not the account's: names, modes, sizes, contents, and directories."""
    mine = set(map(str, owned(workspace, keys)))
    files = {
        path: facts for path, facts in tree_digest(workspace.backing).items() if path not in mine}
    directories = {directory for directory, _, _ in os.walk(workspace.backing)}
    # What the daemon itself writes there.
    files.pop(str(workspace.on_disk(".mamd", "lock")), None)
    return files, directories


def keybag_files(workspace, account_id):
    return [path for path in workspace.state.rglob("*") if account_id in path.name]


class WipeCase(WorkspaceCase):
    """ANN is registered anew for each test; BOB stays. Nobody is anybody's default owner."""

    settings = {"MultiIdentity": True, "LockDeadlineSeconds": 2}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workspace.register(BOB)

    def setUp(self):
        if self.workspace.account() is None:
            self.workspace.register()
        super().setUp()

    def wipe(self, status=0):
        return self.workspace.serving("wipe", ANN, "--confirm", ANN, status=status)

    def wiped_cleanly(self, keys, kept, account_id):
        self.assertEqual(owned(self.workspace, keys), [])
        files, directories = others(self.workspace, keys)
        self.assertEqual(set(files), set(kept[0]))
        self.assertEqual((files, directories), kept)
        self.assertEqual(keybag_files(self.workspace, account_id), [])
        self.assertIsNone(self.workspace.account())

    @contextlib.contextmanager
    def wiping_all_cleanly(self, *prepare):
        """A populated tree, of which the block wipes ANN's part."""
        populate(self.workspace, self.directory)
        for step in prepare:
            step()
        keys, account_id = key_ids(self.workspace), self.workspace.account()["id"]
        kept = others(self.workspace, keys)
        self.assertGreater(len(owned(self.workspace, keys)), 2 * len(SIZES))
        yield
        self.wiped_cleanly(keys, kept, account_id)
