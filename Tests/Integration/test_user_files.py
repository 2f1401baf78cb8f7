"""The main flow as an ordinary user, second half: modes, names, and other people's programs."""
import os
import unittest

import test_user

NEEDS = ("git", "rsync", "sqlite3", "fio")


@unittest.skipUnless(os.getuid() == 0, "becomes nobody, which only root can")
class Files(test_user.AsOrdinaryUser):
    SUITES = (
        "test_leave.Leave", "test_leave_places.Places", "test_matrix.Matrix.test_locked",
        "test_programs", "test_protect.Kept", "test_posix", "test_posix_files", "test_posix_holes",
        "test_posix_system", "test_posix_tmpfile", "test_rename.Rename", "test_wipe.Whole",
        "test_wipe_use.InUse")


if __name__ == "__main__":
    unittest.main()
