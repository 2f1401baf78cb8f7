"""What may be done to a file of each class in each state of its account: the whole table, through a
real mount."""
import errno

from matrix_operations import Cell, Sigbus
from workspace import ANN, WorkspaceCase

# One row for each operation (a method of Cell), one column for each class; in it first the outcome
# while Locked, then that Before the First Unlock. Unlocked and in the Grace period everything must
# be done ("+") in every class.
#     +  done, and it can be seen that it was
#     E  refused with ENOKEY, and nothing changed
#     S  SIGBUS
#     .  cannot be: no handle survives a restart
# "handle": opened while unlocked; "mapping": made and touched while unlocked, by another process.
TABLE = """
operation                         on         A     B     C     D
                                             L B   L B   L B   L B
open_to_read                      file       E E   E E   + E   + +
open_to_write                     file       E E   E E   + E   + +
open_to_read_and_write            file       E E   E E   + E   + +
open_truncating                   file       E E   E E   + E   + +
open_beside_a_handle              handle     E .   E .   + .   + .
open_truncating_beside_a_handle   handle     E .   E .   + .   + .
execute                           file       E E   E E   + E   + +
truncate                          file       E E   E E   + E   + +
read                              handle     E .   + .   + .   + .
pread                             handle     E .   + .   + .   + .
write                             handle     E .   + .   + .   + .
pwrite                            handle     E .   + .   + .   + .
pwrite_at_the_end                 handle     E .   + .   + .   + .
ftruncate                         handle     E .   + .   + .   + .
fallocate                         handle     E .   + .   + .   + .
fallocate_a_hole                  handle     E .   + .   + .   + .
fstat                             handle     + .   + .   + .   + .
touch_a_mapping                   mapping    S .   + .   + .   + .
store_into_a_mapping              mapping    S .   + .   + .   + .
touch_a_new_mapping               handle     S .   + .   + .   + .
store_into_a_new_mapping          handle     S .   + .   + .   + .
create                            file       E E   + +   + E   + +
mknod                             file       E E   + +   + E   + +
create_and_open_again             file       E E   E E   + E   + +
stat                              file       + +   + +   + +   + +
chmod                             file       + +   + +   + +   + +
chown                             file       + +   + +   + +   + +
utimes                            file       + +   + +   + +   + +
setxattr                          file       + +   + +   + +   + +
getxattr_of_protection            file       + +   + +   + +   + +
stat                              handle     + .   + .   + .   + .
chmod                             handle     + .   + .   + .   + .
chown                             handle     + .   + .   + .   + .
utimes                            handle     + .   + .   + .   + .
setxattr                          handle     + .   + .   + .   + .
getxattr_of_protection            handle     + .   + .   + .   + .
list_directory                    file       + +   + +   + +   + +
open_directory                    file       + +   + +   + +   + +
mkdir                             file       + +   + +   + +   + +
rmdir                             file       + +   + +   + +   + +
unlink                            file       + +   + +   + +   + +
unlink                            handle     + .   + .   + .   + .
rename                            file       + +   + +   + +   + +
rename                            handle     + .   + .   + .   + .
rename_over_another               file       + +   + +   + +   + +
link                              file       + +   + +   + +   + +
mamctl_class                      file       + +   + +   + +   + +
mamctl_class_of_directory         file       + +   + +   + +   + +
mamctl_info                       file       + +   + +   + +   + +
set_class_to_A                    file       E E   E E   E E   E E
set_class_to_B                    file       E E   + +   + E   + +
set_class_to_C                    file       E E   E E   + E   + E
set_class_to_D                    file       E E   E E   + E   + +
set_class_to_policy               file       E E   E E   + E   + +
set_class_of_directory_to_A       file       + +   + +   + +   + +
set_class_of_directory_to_B       file       + +   + +   + +   + +
set_class_of_directory_to_C       file       + +   + +   + +   + +
set_class_of_directory_to_D       file       + +   + +   + +   + +
set_class_of_directory_to_policy  file       + +   + +   + +   + +
"""
STATES = {"U": "unlocked", "G": "in grace", "L": "locked", "B": "before the first unlock"}


def cells():
    """(operation, needs, class, state, expected) for all that can be."""
    for row in TABLE.splitlines()[3:]:
        operation, needs, *outcomes = row.split()
        for letter, locked, restarted in zip("ABCD", outcomes[::2], outcomes[1::2], strict=True):
            for state, expected in zip("UGLB", ("+", "+", locked, restarted)):
                if expected != ".":
                    yield operation, needs, letter, state, expected


def outcome(action):
    try:
        action()
        return "+"
    except Sigbus:
        return "S"
    except OSError as problem:
        return "E" if problem.errno == errno.ENOKEY else errno.errorcode[problem.errno]


class Matrix(WorkspaceCase):
    # A grace period that lasts, and a policy under which every class can be asked for.
    settings = {"DeviceDefaultProtectionLevel": "NSFileProtectionNone", "LockGraceSeconds": 600}
    policy = {"appDataEncryptionType": "useDeviceSettings"}

    def test_unlocked(self):
        self.run_cells("U", lambda: None)

    def test_in_grace(self):
        self.run_cells("G", lambda: self.workspace.serving("lock", ANN))

    def test_locked(self):
        self.run_cells("L", self.workspace.lock)

    def test_before_the_first_unlock(self):
        self.run_cells("B", self.restart)

    def test_the_table_is_whole(self):
        found = list(cells())
        self.assertEqual(len(found), len(set(found)))
        per_state = {state: sum(cell[3] == state for cell in found) for state in STATES}
        print(f"{len(found)} cells: {per_state}", flush=True)
        self.assertEqual(len(found), 852)

    def restart(self):
        self.workspace.unmount()
        self.workspace.mount()

    def run_cells(self, state, enter):
        prepared = []
        for letter in "ABCD":
            (self.directory / letter).mkdir()
            self.workspace.ctl("class", "--set", letter, self.directory / letter)
        for operation, needs, letter, cell_state, expected in cells():
            if cell_state == state:
                cell = Cell(self.workspace, self.directory / letter, operation, needs, letter)
                cell.prepare(needs, is_restarted=state == "B")
                prepared.append(
                    (f"{operation} on a {needs} of class {letter} {STATES[state]}", cell, expected))
        enter()
        self.addCleanup(self.workspace.unlock)
        names = {"U": "unlocked", "G": "grace", "L": "locked", "B": "beforeFirstUnlock"}
        self.assertEqual(self.workspace.account()["state"], names[state])
        for name, cell, expected in prepared:
            with self.subTest(name):
                self.assertEqual(outcome(getattr(cell, cell.operation)), expected)
        self.workspace.unlock()
        for name, cell, _ in prepared:
            with self.subTest(f"{name}, and after the next unlock"):
                cell.still_works()


