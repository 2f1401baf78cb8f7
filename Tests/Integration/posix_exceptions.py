"""What is known to come out differently on the mount: docs/TESTING.md says why. Anything else is a
failure, and so is an exception that is none any more. An exception is for a label, and for what
differs in the outcome: no other part of it."""
import re
import stat


def parts(here, there):
    """(here, there) of each part of two outcomes that is not the same."""
    if not isinstance(here, tuple) or not isinstance(there, tuple) or len(here) != len(there):
        return [(here, there)]
    return [pair for pair in zip(here, there) if pair[0] != pair[1]]


def exactly(*pairs):
    return lambda found: found == list(pairs)


def bits_kept(found):
    """The bits that one file's mode has here and not there, where nothing else differs; 0
    otherwise."""
    try:
        (
            ((name, (mode, *rest), target), (other_name, (other_mode, *other_rest), other_target)),
            ) = found
    except (TypeError, ValueError):
        return 0
    if (name, rest, target) != (other_name, other_rest, other_target) or int(other_mode, 8) & ~int(
            mode, 8):
        return 0
    return int(mode, 8) & ~int(other_mode, 8)


def keeps_set_id_bits(found):
    return bits_kept(found) != 0 and bits_kept(found) & ~(stat.S_ISUID | stat.S_ISGID) == 0


TO_ITSELF = "chown to itself of a file of mode (2755|4711|6644|6755), by "

# Scenario to patterns of whole labels, and for each what may differ.
EXCEPTIONS = {
    # chown(2) with neither user nor group: the kernel leaves set-id bits to us, and then has
    # nothing left to tell us.
    "ownership": {
        TO_ITSELF + "(ann|root|self), after it": keeps_set_id_bits,
        TO_ITSELF + "(bob|cat|dan)": exactly((None, "EPERM")),
    },
    "times": {
        "open to read": exactly(("file: a", "file: ")),
        "read of nothing": exactly(("file: a", "file: ")),
        "read through a handle that may write": exactly(("file: ", "file: a")),
        "store through a mapping": exactly(("file: mc", "file: amc")),
        "truncate to the same size": exactly(("file: ", "file: mc")),
    },
}
def grows_beyond_all(found):
    """There is no size that the other one refuses."""
    if found == [("EFBIG", None)]:
        return True
    (((name, (*state, _, rest), target), there),) = found
    return there == (name, (*state, 2**63 - 1, rest), target)


def keeps_set_group_id(found):
    ((here, there),) = found
    different = [pair for pair in zip(here, there) if pair[0] != pair[1]]
    return different != [] and all(bits_kept([pair]) == stat.S_ISGID for pair in different)


# tmpfs knows less than the mount, has no largest size, and takes the set-group-id bit with an
# access list that somebody of another group removes.
IN_MEMORY = {
    **EXCEPTIONS,
    "callers": {"removing the access list, .*, after it": keeps_set_group_id},
    "paths": {"truncate to grow beyond all: .*": grows_beyond_all},
    "times": {
        **EXCEPTIONS["times"], "zero a range": exactly((None, "ENOTSUP"), ("file: mc", "file: "))},
}


def unexpected(exceptions, found):
    """The differences that are no exceptions, and the exceptions that did not differ."""
    def is_meant(pattern, label, here, there):
        return re.fullmatch(pattern, label) and exceptions[pattern](parts(here, there))

    left = [item for item in found if not any(is_meant(pattern, *item) for pattern in exceptions)]
    unused = [
        pattern for pattern in exceptions if not any(is_meant(pattern, *item) for item in found)]
    return left, unused
