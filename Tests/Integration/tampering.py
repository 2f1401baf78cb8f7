"""Random changes of sealed backing files, and what the mount makes of them."""
import collections
import errno
import os
import random

from workspace import BLOCK, FIRST, HEADER, MAGIC, PAYLOAD, pattern

SIZES = (0, 1, 5, FIRST - 1, FIRST, FIRST + 1, FIRST + PAYLOAD, 10_000, 20_000, 70_000)


def cut(data, source):
    # One without any byte is not yet created.
    size = source.randrange(len(data))
    return data[: max(1, source.choice((size, size // BLOCK * BLOCK)))]


def cut_out(data, source):
    """Blocks gone from the middle."""
    first = source.randrange(len(data) // BLOCK) + 1
    return data[: first * BLOCK] + data[(first + source.randrange(1, 4)) * BLOCK :]


def extend(data, source):
    more = source.choice((1, 104, BLOCK, 3 * BLOCK, source.randrange(1, 20_000)))
    return data + source.choice((bytes(more), source.randbytes(more)))


def swap(data, source):
    blocks = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)]
    one, two = source.randrange(len(blocks)), source.randrange(len(blocks))
    blocks[one], blocks[two] = blocks[two], blocks[one]
    return b"".join(blocks)


def replace(data, source, filling):
    start = source.randrange(len(data) // BLOCK) * BLOCK
    return data[:start] + filling + data[start + BLOCK :]


def zero(data, source):
    return replace(data, source, bytes(BLOCK))


def garbage(data, source):
    return replace(data, source, source.randbytes(BLOCK))


def flip(data, source):
    changed = bytearray(data)
    changed[source.randrange(len(data))] ^= 1 << source.randrange(8)
    return bytes(changed)


def wipe_header(data, source):
    return source.choice((bytes(HEADER), source.randbytes(HEADER))) + data[HEADER:]


def renumber(data, source):
    """Another version."""
    return data[:8] + source.randrange(1 << 16).to_bytes(2, "little") + data[10:]


def claims_newer(data):
    """A version above 1 after the magic is refused as newer, whatever the rest says (FORMAT)."""
    return data[:8] == MAGIC and int.from_bytes(data[8:10], "little") > 1


KINDS = (cut, cut_out, extend, swap, zero, garbage, flip, wipe_header, renumber)


class Tampering:
    """So many files, each changed in one way while nothing is mounted, after a clean end."""

    def __init__(self, case, count):
        self.case, self.seed = case, random.randrange(1 << 32)
        source = random.Random(self.seed)
        self.files = {}
        case.mount()
        for number in range(count):
            name, plain = f"file-{number}", pattern(source.choice(SIZES), number)
            case.write(case.directory / name, plain, durable=False)
            self.files[name] = (plain, source.choice(KINDS))
        case.workspace.unmount()
        self.source, self.wrong, self.newer = source, [], set()

    def lay(self):
        for name, (_, kind) in self.files.items():
            data = kind(self.case.disk(name).read_bytes(), self.source)
            self.case.disk(name).write_bytes(data)
            if claims_newer(data):
                self.newer.add(name)

    def read_back(self):
        """How often reading gave what, by kind of change."""
        figures = collections.Counter()
        for name, (plain, kind) in self.files.items():
            outcome = self.outcome(self.case.directory / name, plain)
            figures[f"{kind.__name__}: {outcome}"] += 1
            right = ("ENOTSUP",) if name in self.newer else ("EBADMSG", "as it was")
            if outcome not in right:
                self.wrong.append((name, kind.__name__, len(plain), outcome))
        return dict(sorted(figures.items()))

    def outcome(self, path, plain):
        """The whole file, then pieces of it: each as it was written, or an error."""
        try:
            whole = path.read_bytes()
        except OSError as problem:
            whole = None
            error = errno.errorcode[problem.errno]
        if whole is not None:
            return "as it was" if whole == plain else f"{len(whole)} other bytes"
        try:
            with open(path, "rb", buffering=0) as file:
                for at in range(0, len(plain) + 3 * BLOCK, 1000):
                    try:
                        found = os.pread(file.fileno(), 1000, at)
                    except OSError:
                        continue
                    if not plain[at:].startswith(found) or (not found and at < len(plain)):
                        return f"{len(found)} other bytes at {at}"
        except OSError:
            pass
        return error
