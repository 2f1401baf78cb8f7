"""Rights: modes of files and directories, sticky directories, and the bits that go with a
change."""
import os
import struct

from posix_calls import PUNCH, allocate, link_open, rename2
from posix_place import Scene, shape, users

FILE_CALLS = {
    "read": lambda: os.close(os.open("folder/file", os.O_RDONLY)),
    "write": lambda: os.close(os.open("folder/file", os.O_WRONLY)),
    "truncate": lambda: os.truncate("folder/file", 2),
    "execute": lambda: os.access("folder/file", os.X_OK),
    "set times to now": lambda: os.utime("folder/file"),
    "set times": lambda: os.utime("folder/file", ns=(1, 2)),
    "chmod": lambda: os.chmod("folder/file", 0o6755),
    "setxattr": lambda: os.setxattr("folder/file", "user.note", b"x"),
    "getxattr": lambda: os.getxattr("folder/file", "user.note"),
    "link": lambda: os.link("folder/file", "link"),
}
FOLDER_CALLS = {
    "list": lambda: tuple(sorted(os.listdir("folder"))),
    "stat in it": lambda: shape(os.stat("folder/file")),
    "create in it": lambda: os.close(os.open("folder/new", os.O_CREAT | os.O_WRONLY, 0o666)),
    "create what is there": lambda: os.close(
        os.open("folder/file", os.O_CREAT | os.O_RDONLY, 0o666)),
    "create exclusively what is there": lambda: os.close(
        os.open("folder/file", os.O_CREAT | os.O_EXCL, 0o666)),
    "mkdir in it": lambda: os.mkdir("folder/new"),
    "mkdir of what is there": lambda: os.mkdir("folder/file"),
    "mkfifo in it": lambda: os.mkfifo("folder/new"),
    "symlink in it": lambda: os.symlink("file", "folder/new"),
    "link into it": lambda: os.link("own", "folder/new"),
    "unlink in it": lambda: os.unlink("folder/file"),
    "rmdir in it": lambda: os.rmdir("folder/inner"),
    "rename in it": lambda: os.rename("folder/file", "folder/new"),
    "rename into it": lambda: os.rename("own", "folder/new"),
    "rename out of it": lambda: os.rename("folder/file", "new"),
    "rename over one in it": lambda: os.rename("own", "folder/file"),
    "move a directory out of it": lambda: os.rename("folder/inner", "new"),
    "exchange with one in it": lambda: rename2("own", "folder/file", 2),
    "temporary file in it": lambda: os.close(os.open("folder", os.O_TMPFILE | os.O_RDWR, 0o600)),
}
# chown's targets: (user, group), -1 for no change.
OWNERS = {
    "to itself": (-1, -1), "to the same": (2001, 3000), "to another user": (2002, -1),
    "to the shared group": (-1, 3000),
    "to cat's own group": (-1, 3003), "to another group": (-1, 3004), "to dan": (2004, 3004),
    "to root": (0, 0),
}
OWNER, GROUP = 2001, 3000
# struct vfs_cap_data of revision 2: effective CAP_NET_RAW.
CAPABILITY, NET_RAW = "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0)


def begin(actor, folder_mode, file_mode):
    """A directory and a file of Ann's and her group's; and one of the actor's own beside them."""
    os.mkdir("folder")
    os.mkdir("folder/inner")
    for name in ("folder/file", "own"):
        with open(name, "wb") as file:
            file.write(b"content")
    if os.getuid() == 0:
        for name in ("folder", "folder/file", "folder/inner"):
            os.chown(name, OWNER, GROUP)
        os.chown("own", actor.uid, actor.gid)
    os.chmod("folder/file", file_mode)
    os.chmod("folder/inner", 0o755)
    os.chmod("folder", folder_mode)


def steps(place, what, calls, actor, folder_mode, file_mode):
    with Scene(place, lambda: begin(actor, folder_mode, file_mode)) as scene:
        for name, action in calls.items():
            scene.step(
                f"{name} {what}, by {actor.name}", action, actor, leaves_traces=name == "setxattr")


def modes(actor):
    """Every set of rights, where the kernel looks for this actor's."""
    shift = 6 if actor.name in ("ann", "self") else 3 if actor.name in ("bob", "cat") else 0
    return [bits << shift for bits in range(8)]


def modes_of_files(place):
    for actor in users():
        for mode in modes(actor):
            steps(place, f"of a file of mode {mode:o}", FILE_CALLS, actor, 0o755, mode)


def modes_of_directories(place):
    for actor in users():
        for mode in modes(actor):
            steps(place, f"with mode {mode:o}", FOLDER_CALLS, actor, mode, 0o644)


def sticky(place):
    """In a sticky directory only the owners of the entry and of the directory remove and rename."""
    for actor in users():
        for mode in (0o1777, 0o1770, 0o3777):
            steps(place, f"with mode {mode:o}", FOLDER_CALLS, actor, mode, 0o666)


def changes_of_owner(path):
    def change(user, group):
        return lambda: os.chown(path, user, group)

    return {f"chown {what}": change(*owner) for what, owner in OWNERS.items()}


def ownership(place):
    for actor in users():
        for mode in (0o644, 0o6755, 0o6644, 0o2755, 0o4711):
            steps(
                place, f"of a file of mode {mode:o}", changes_of_owner("folder/file"), actor, 0o755,
                mode)
        for mode in (0o755, 0o2775, 0o1777):
            steps(
                place, f"of a directory of mode {mode:o}", changes_of_owner("folder"), actor, mode,
                0o644)


def opened(flags, action):
    def run():
        descriptor = os.open("folder/file", flags)
        try:
            return action(descriptor)
        finally:
            os.close(descriptor)
    return run


def set_id_changes():
    return {
        "write": opened(os.O_WRONLY, lambda fd: os.write(fd, b"x")),
        "write of nothing": opened(os.O_WRONLY, lambda fd: os.write(fd, b"")),
        "append": opened(os.O_WRONLY | os.O_APPEND, lambda fd: os.write(fd, b"x")),
        "pwrite": opened(os.O_RDWR, lambda fd: os.pwrite(fd, b"x", 100)),
        "truncate": lambda: os.truncate("folder/file", 2),
        "truncate to the same size": lambda: os.truncate("folder/file", 7),
        "ftruncate": opened(os.O_WRONLY, lambda fd: os.ftruncate(fd, 50_000)),
        "open truncating": opened(os.O_WRONLY | os.O_TRUNC, lambda fd: None),
        "fallocate": opened(os.O_WRONLY, lambda fd: allocate(fd, 0, 0, 5_000)),
        "punch a hole": opened(os.O_WRONLY, lambda fd: allocate(fd, PUNCH, 0, 5_000)),
        "open to write": opened(os.O_WRONLY, lambda fd: None),
        "copy_file_range": opened(os.O_WRONLY, lambda fd: copy_into(fd)),
        "chmod to the same": lambda: os.chmod(
            "folder/file", os.stat("folder/file").st_mode & 0o7777),
        "chmod to 6777": lambda: os.chmod("folder/file", 0o6777),
        "set times": lambda: os.utime("folder/file"),
        "chown": lambda: os.chown("folder/file", -1, GROUP),
        "rename": lambda: os.rename("folder/file", "folder/new"),
        "link": lambda: os.link("folder/file", "folder/new"),
    }


def copy_into(descriptor):
    with open("own", "rb") as own:
        return os.copy_file_range(own.fileno(), descriptor, 3)


def set_id_bits(place):
    """A change of the content takes the bits away, but for a privileged program."""
    for actor in users():
        for mode in (0o4777, 0o2777, 0o6777, 0o6767, 0o2767, 0o6666):
            steps(place, f"on a file of mode {mode:o}", set_id_changes(), actor, 0o777, mode)


def capabilities(place):
    """A change of the content, root's too, takes a program's capabilities away."""
    root = users()[0]
    if root.uid != 0:
        return
    for actor in users():
        for name, action in set_id_changes().items():
            with place.fresh():
                begin(actor, 0o777, 0o777)
                os.setxattr("folder/file", CAPABILITY, NET_RAW)
                outcome = place.attempt(action, actor)
                left = [
                    place.attempt(lambda: os.getxattr(path, CAPABILITY))
                    for path in ("folder/file", "folder/new")]
                place.note(f"{name} on a file with capabilities, by {actor.name}", (outcome, *left))


def group_inheritance(place):
    """What a directory's set-group-ID bit and the creator's groups make of new entries."""
    calls = {
        "create": lambda: os.close(os.open("folder/new", os.O_CREAT | os.O_WRONLY, 0o6775)),
        "mknod": lambda: os.mknod("folder/new", 0o102775),
        "mkdir": lambda: os.mkdir("folder/new", 0o3775),
        "mkfifo": lambda: os.mkfifo("folder/new", 0o2775),
        "symlink": lambda: os.symlink("x", "folder/new"),
        "link": lambda: os.link("own", "folder/new"),
        "temporary file, linked": link_temporary,
    }
    for actor in users():
        for mode in (0o777, 0o2777, 0o3777):
            steps(place, f"in a directory of mode {mode:o}", calls, actor, mode, 0o644)


def link_temporary():
    descriptor = os.open("folder", os.O_TMPFILE | os.O_RDWR, 0o2775)
    try:
        os.write(descriptor, b"temporary")
        link_open(descriptor, "folder/new")
    finally:
        os.close(descriptor)


