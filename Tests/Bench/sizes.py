"""How much is done: of one size for a comparison, less to see that all works."""
import dataclasses
import pathlib

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Sizes:
    large: int = 512 * MIB
    random_reads: int = 20_000
    random_writes: int = 20_000
    synced_writes: int = 3_000
    # What ends the random workloads of a slow file system: a rate needs no more.
    seconds: int = 5
    files: int = 3_000
    tree: pathlib.Path = pathlib.Path("/usr/include")
    transactions: int = 200
    pieces: int = 16 * MIB
    shared: int = 128 * MIB
    clients_files: int = 1_000
    clients_milliseconds: int = 600


QUICK = Sizes(
    large=64 * MIB, random_reads=4_000, random_writes=4_000, synced_writes=500, seconds=2,
    files=500,
    tree=pathlib.Path("/usr/include/linux"), pieces=2 * MIB, shared=32 * MIB, clients_files=200,
    clients_milliseconds=200)

# As little as can be, for the test of all this.
TINY = Sizes(
    large=4 * MIB, random_reads=200, random_writes=200, synced_writes=20, seconds=2, files=40,
    tree=pathlib.Path("/usr/include/asm-generic"), transactions=10, pieces=MIB // 4, shared=2 * MIB,
    clients_files=20,
    clients_milliseconds=50)
