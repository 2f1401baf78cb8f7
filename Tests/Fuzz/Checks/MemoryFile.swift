// A backing file that is only in memory: the product's system calls, and no disk that waits.

import Glibc
import MAMModel
import MAMSystem

/// Without a name, on Debian's tmpfs.
func makeMemoryFile(_ bytes: [UInt8] = []) throws(Violation) -> Descriptor {
    try must("a file in memory") {
        let file = try openFile("/dev/shm", unnamed | O_DIRECTORY | O_RDWR, mode: 0o600)
        try bytes.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 0) }
        return file
    }
}

/// `O_TMPFILE` without `O_DIRECTORY`, which Swift does not see.
private let unnamed: Int32 = 0o2000_0000
