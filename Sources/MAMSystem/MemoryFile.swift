// A regular file that is in memory alone.

internal import Glibc

/// A file without a name in shared memory, for content that a call takes as a file and that must
/// not reach a disk.
///
/// Its room is half of the machine's memory, as a rule; `ENOSPC` beyond.
package func openMemoryFile() throws(Errno) -> Descriptor {
    try openFile("/dev/shm", openTemporary | O_RDWR, mode: 0o600)
}
