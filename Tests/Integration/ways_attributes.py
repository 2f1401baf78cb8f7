"""Ways out of a contained program: attributes."""
import contextlib
import ctypes
import fcntl
import os
import threading

from ways import (
    FACTS, OUTSIDE, PLAN, SECRET, WORKSPACE, Refused, command, outside, request, syscall, way)


@way
def set_an_attribute():
    os.setxattr(outside("kept"), "user.leak", SECRET)


@way
def set_an_attribute_of_a_link():
    os.setxattr(outside("kept"), "user.leak", SECRET, follow_symlinks=False)


@way
def set_an_attribute_of_an_open_file():
    os.setxattr(os.open(outside("kept"), os.O_RDONLY), "user.leak", SECRET)


@way
def set_an_attribute_with_setxattrat():
    arguments = (ctypes.c_uint64 * 2)(ctypes.cast(SECRET, ctypes.c_void_p).value, len(SECRET))
    syscall(463, -100, outside("kept").encode(), 0, b"user.leak", arguments, 16)


@way
def remove_an_attribute():
    os.removexattr(outside("kept"), "user.kept")


@way
def remove_an_attribute_of_a_link():
    os.removexattr(outside("kept"), "user.kept", follow_symlinks=False)


@way
def remove_an_attribute_of_an_open_file():
    os.removexattr(os.open(outside("kept"), os.O_RDONLY), "user.kept")


@way
def remove_an_attribute_with_removexattrat():
    syscall(466, -100, outside("kept").encode(), 0, b"user.kept")


def found(name, flags=os.O_RDONLY):
    return os.open(outside(name), flags)


@way
def set_a_mode():
    os.chmod(outside("kept"), 0o604)


@way
def set_a_mode_by_descriptor():
    os.fchmod(found("kept"), 0o604)


@way
def set_a_mode_by_a_descriptor_of_the_path():
    os.chmod(f"/proc/self/fd/{found('kept', os.O_PATH)}", 0o604)


@way
def set_a_mode_through_a_link_in_the_workspace():
    link = os.path.join(WORKSPACE, "to-kept")
    os.symlink(outside("kept"), link)
    try:
        os.chmod(link, 0o604)
    finally:
        os.unlink(link)


@way
def set_a_mode_from_a_directory():
    os.chmod("kept", 0o604, dir_fd=found("", os.O_PATH))


@way
def set_a_mode_with_fchmodat2():
    syscall(452, -100, outside("kept").encode(), 0o604, 0)


@way
def set_a_mode_of_an_empty_path():
    syscall(452, found("kept", os.O_PATH), b"", 0o604, 0x1000)


@way
def set_a_mode_of_a_directory():
    os.chmod(outside("empty"), 0o777)


@way
def set_the_set_user_id_bit():
    os.chmod(outside("kept"), 0o4755)


@way
def create_with_the_set_user_id_bit():
    os.close(os.open(outside("set-id"), os.O_WRONLY | os.O_CREAT, 0o4755))


@way
def open_the_state_directory():
    os.chmod(os.path.dirname(FACTS["passfile"]), 0o777)


@way
def exchange_the_file_while_its_mode_is_set():
    """The supervisor finds and changes one and the same file."""
    inside, name = os.path.join(WORKSPACE, "inside"), os.path.join(WORKSPACE, "either")
    open(inside, "w").close()
    ended = threading.Event()

    def exchange():
        for turn in range(10 ** 9):
            os.symlink((inside, outside("kept"))[turn % 2], name + "-next")
            os.rename(name + "-next", name)
            if ended.is_set():
                return

    threading.Thread(target=exchange, daemon=True).start()
    done = 0
    for _ in range(300):
        with contextlib.suppress(PermissionError, FileNotFoundError):
            os.chmod(name, 0o604)
            done += 1
    ended.set()
    if os.stat(outside("kept")).st_mode & 0o777 != 0o604:
        raise Refused(f"of 300 calls {done} changed the file inside")


@way
def give_a_file_to_a_group():
    os.chown(outside("kept"), -1, os.getgid())


@way
def give_a_file_away():
    os.chown(outside("kept"), os.getuid(), -1)


@way
def give_a_link_away():
    os.lchown(outside("kept"), os.getuid(), os.getgid())


@way
def give_a_file_away_by_descriptor():
    os.fchown(found("kept"), os.getuid(), os.getgid())


@way
def give_a_file_away_with_fchownat():
    os.chown("kept", os.getuid(), os.getgid(), dir_fd=found("", os.O_PATH))


@way
def give_a_file_away_by_an_empty_path():
    syscall(260, found("kept", os.O_PATH), b"", os.getuid(), os.getgid(), 0x1000)


@way
def set_an_acl():
    command("setfacl", "-m", "u:1234:r", outside("kept"))


@way
def set_file_attributes():
    syscall(469, -100, outside("kept").encode(), ctypes.create_string_buffer(24), 24, 0)


# What file systems keep for an ioctl(2), without a descriptor that can be written to


@way
def set_the_flags_of_a_file():
    request(0x40086602, 8)  # FS_IOC_SETFLAGS


@way
def set_the_version_of_a_file():
    request(0x40087602, 8)  # FS_IOC_SETVERSION


@way
def set_the_version_of_a_file_of_ext4():
    request(0x40086604, 8)  # EXT4_IOC_SETVERSION_OLD


@way
def set_the_project_of_a_file():
    request(0x401C5820, 28)  # FS_IOC_FSSETXATTR


@way
def seal_a_file_with_verity():
    request(0x40806685, 128)  # FS_IOC_ENABLE_VERITY


@way
def encrypt_a_directory():
    request(0x800C6613, 12, outside("empty"))  # FS_IOC_SET_ENCRYPTION_POLICY


@way
def make_a_salt():
    request(0x40106614, 16, OUTSIDE)  # FS_IOC_GET_ENCRYPTION_PWSALT


@way
def add_a_key_of_a_file_system():
    request(0xC0506617, 80, OUTSIDE)  # FS_IOC_ADD_ENCRYPTION_KEY


@way
def remove_a_key_of_a_file_system():
    request(0xC0406618, 64, OUTSIDE)  # FS_IOC_REMOVE_ENCRYPTION_KEY


@way
def name_a_file_system():
    request(0x41009432, 256, OUTSIDE)  # FS_IOC_SETFSLABEL


@way
def freeze_a_file_system():
    request(0xC0045877, 4, OUTSIDE)  # FIFREEZE


@way
def make_a_subvolume():
    request(0x5000940E, 4096, OUTSIDE)  # BTRFS_IOC_SUBVOL_CREATE


@way
def make_a_snapshot():
    request(0x50009417, 4096, OUTSIDE)  # BTRFS_IOC_SNAP_CREATE_V2


@way
def set_the_flags_of_a_subvolume():
    request(0x4008941A, 8, OUTSIDE)  # BTRFS_IOC_SUBVOL_SETFLAGS


@way
def pin_a_file():
    request(0x4004F50D, 4)  # F2FS_IOC_SET_PIN_FILE


@way
def use_a_kind_to_come():
    request(0x4004EE01, 4)  # of nobody today


@way
def clone_into_a_file():
    file = os.open(outside("kept"), os.O_RDONLY)
    fcntl.ioctl(file, 0x40049409, os.open(PLAN, os.O_RDONLY))  # FICLONE


@way
def add_a_control_to_a_card():
    fcntl.ioctl(1, 0xC1105517, bytearray(272))  # SNDRV_CTL_IOCTL_ELEM_ADD


@way
def write_a_control_of_a_card():
    fcntl.ioctl(1, 0xC4C85513, bytearray(1224))  # SNDRV_CTL_IOCTL_ELEM_WRITE


@way
def change_the_keys_of_the_console():
    fcntl.ioctl(1, 0x4B47, bytearray(4))  # KDSKBENT


@way
def select_on_the_console():
    fcntl.ioctl(1, 0x541C, bytearray(16))  # TIOCLINUX
