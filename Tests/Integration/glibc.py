"""What differs between versions of the C library."""
import os

VERSION = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
# LANGUAGE counts in the locale C.UTF-8: Debian 12's does so, Debian 13's (2.41) does not.
LANGUAGE_IN_C = VERSION < (2, 41)
