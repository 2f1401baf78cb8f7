"""Ways out of a contained program: names and content of files."""
import mmap
import os

from ways import FACTS, OUTSIDE, PLAN, SECRET, command, outside, put, way


@way
def create_a_file():
    put(outside("new"), os.O_WRONLY | os.O_CREAT)


@way
def append_to_a_file():
    put(outside("kept"), os.O_WRONLY | os.O_APPEND)


@way
def open_for_both():
    put(outside("kept"), os.O_RDWR)


@way
def map_a_file_shared():
    file = os.open(outside("kept"), os.O_RDWR)
    mmap.mmap(file, 4096)[:len(SECRET)] = SECRET


@way
def map_a_file_that_is_open_for_reading():
    mmap.mmap(os.open(outside("kept"), os.O_RDONLY), 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE)


@way
def truncate_a_file():
    os.truncate(outside("kept"), 1)


@way
def truncate_while_opening():
    os.open(outside("kept"), os.O_RDONLY | os.O_TRUNC)


@way
def link_out():
    os.link(PLAN, outside("linked"))


@way
def rename_out():
    os.rename(FACTS["second"], outside("renamed"))


@way
def rename_a_file_outside():
    os.rename(outside("kept"), outside(SECRET.decode()[:60]))


@way
def make_a_symbolic_link():
    os.symlink(SECRET[:60], outside("symbolic"))


@way
def make_a_directory():
    os.mkdir(outside(SECRET.decode()[:60]))


@way
def make_a_node():
    os.mknod(outside("node"))


@way
def make_a_fifo():
    os.mkfifo(outside("made-fifo"))


@way
def remove_a_file():
    os.unlink(outside("kept"))


@way
def remove_a_directory():
    os.rmdir(outside("empty"))


@way
def make_a_file_without_a_name():
    put(OUTSIDE, os.O_WRONLY | os.O_TMPFILE)


@way
def write_to_tmp():
    put(FACTS["leaks"][0], os.O_WRONLY | os.O_CREAT)


@way
def write_to_shared_memory():
    put(FACTS["leaks"][1], os.O_WRONLY | os.O_CREAT)


@way
def write_at_home():
    put(os.path.join(os.path.expanduser("~"), ".mamd-leak"), os.O_WRONLY | os.O_CREAT)


@way
def copy_with_cp():
    command("cp", PLAN, outside("copied"))


@way
def copy_with_dd():
    command("dd", f"if={PLAN}", f"of={outside('dd')}")


@way
def archive_with_tar():
    command("tar", "-cf", outside("tar"), PLAN)


@way
def copy_file_range():
    target = os.open(outside("range"), os.O_WRONLY | os.O_CREAT)
    os.copy_file_range(os.open(PLAN, os.O_RDONLY), target, 100)


@way
def write_to_a_fifo():
    put(outside("fifo"), os.O_WRONLY | os.O_NONBLOCK)
