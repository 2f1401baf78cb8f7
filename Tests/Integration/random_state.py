"""What a directory shows, as one comparable value: names, kinds, modes, links, owners, sizes,
contents, extended attributes, and which names are of one file."""
import errno
import os
import stat

from posix_place import shape
from random_place import digest


def whole(path):
    """The name of the errno where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return digest(file.read())
    except OSError as problem:
        return errno.errorcode.get(problem.errno, problem.errno)


def attributes(path):
    return {
        name: os.getxattr(path, name, follow_symlinks=False)
        for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user.")}


def paths(root):
    for directory, folders, names in os.walk(root):
        for name in sorted(folders + names):
            yield os.path.join(directory, name)


def state(root, contents=True):
    """Name to what it stands for. Without contents: without sizes, too."""
    found, first = {}, {}
    for path in sorted(paths(root)):
        name, status = os.path.relpath(path, root), os.lstat(path)
        is_file = stat.S_ISREG(status.st_mode)
        mode, links, user, group, size, _ = shape(status)
        content = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None
        if is_file:
            content = whole(path) if contents else None
        found[name] = (
            mode, links, user, group, size if contents or not is_file else None, content,
            attributes(path), first.setdefault(status.st_ino, name))
    return found


def differences(here, there):
    return {
        name: (here.get(name), there.get(name))
        for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)}
