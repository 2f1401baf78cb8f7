"""Another machine: other XDG directories, and so another device secret, for a copy of the same
backing directory."""
import hashlib
import json
import os
import shutil

from workspace import ANN, Workspace, pattern

# Under it every class can be asked for.
SETTINGS = {"DeviceDefaultProtectionLevel": "NSFileProtectionNone"}
POLICY = {"appDataEncryptionType": "useDeviceSettings"}


def another_machine(workspace, copy=None, policies=True):
    """What an administrator sets up: the workspace's settings and policies, and a copy of its
    files. Not mounted."""
    other = Workspace(workspace.name)
    other.backing.rmdir()
    (copy or copy_all)(workspace.backing, other.backing)
    configuration = workspace.policies.parent
    shutil.copytree(configuration, other.policies.parent)
    if not policies:
        for document in other.policies.iterdir():
            document.unlink()
    note_place(other)
    return other


def note_place(workspace):
    """As `mount --name` does: the settings say where the backing directory is."""
    record = workspace.policies.parent / "workspace.json"
    noted = json.loads(record.read_text())
    record.write_text(json.dumps({**noted, "backingDirectory": str(workspace.backing)}))


def copy_all(source, destination):
    shutil.copytree(source, destination, symlinks=True)


def populate(workspace, directory):
    """Files of every class, a sparse one, an empty one, one of nobody's and a nested one, as the
    digests of a tree."""
    directory.mkdir(exist_ok=True)
    for letter in "ABCD":
        path = directory / f"class {letter}"
        path.write_bytes(pattern(20_000, ord(letter)))
        workspace.ctl("class", "--set", letter, path)
    with open(directory / "sparse", "wb") as file:
        file.write(b"head")
        file.truncate(8 << 20)
        file.seek(4 << 20)
        file.write(pattern(5000))
    (directory / "empty").touch()
    (directory / "deep").mkdir()
    workspace.ctl("class", "--set", "B", directory / "deep")
    (directory / "deep" / "in a directory of class B").write_bytes(pattern(100))
    (directory / "link").symlink_to("class A")
    workspace.write_as("ann.personal@example.org", directory / "plain", "nobody's secret")
    os.sync()
    return tree(directory)


def tree(directory, names=None):
    """Relative path to content, or to a link's target; of these names alone."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if names is not None and name not in names:
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def records(workspace):
    folder = workspace.backing / ".mamd" / "recovery"
    # Unfinished ones begin with a dot.
    return sorted(
        path for path in folder.iterdir() if path.name[0] != ".") if folder.exists() else []


def account_of(record):
    return record.name.split(".")[0]


__all__ = [
    "ANN", "POLICY", "SETTINGS", "account_of", "another_machine", "note_place", "populate",
    "records",
    "tree"]
