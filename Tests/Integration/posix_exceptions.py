"""What is known to come out differently on the mount: docs/TESTING.md says why. Anything else is a failure, and so is an
exception that is none any more."""
import re

SET_GROUP_ID = (
    "(append|copy_file_range|fallocate|ftruncate|open truncating|punch a hole|pwrite|truncate|"
    "truncate to the same size|write) on a file of mode (2767|6666|6767), by dan, after it")

# Scenario to patterns of whole labels.
EXCEPTIONS = {
    "set_id_bits": (SET_GROUP_ID,),
    "times": (
        "open to read", "read of nothing", "read through a handle that may write", "store through a mapping",
        "truncate to the same size"),
}
# tmpfs knows less than the mount.
IN_MEMORY = {**EXCEPTIONS, "times": (*EXCEPTIONS["times"], "zero a range")}


def unexpected(patterns, found):
    """The differences that are no exceptions, and the exceptions that did not differ."""
    left = [item for item in found if not any(re.fullmatch(pattern, item[0]) for pattern in patterns)]
    unused = [pattern for pattern in patterns if not any(re.fullmatch(pattern, item[0]) for item in found)]
    return left, unused
