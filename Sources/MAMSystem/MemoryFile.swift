// Regular files in memory.

internal import Glibc
package import MAMModel

/// An unnamed file in shared memory, for calls that take a file whose content must not reach a
/// disk.
///
/// Usually limited to half of the machine's memory; `ENOSPC` beyond that.
package func openMemoryFile() throws(Errno) -> Descriptor {
    try openFile("/dev/shm", openTemporary | O_RDWR, mode: 0o600)
}
