// Standard input, output and error; and writing to streams: pipes, terminals, sockets.

internal import Glibc
package import MAMModel

/// Writes all bytes at the descriptor's current offset.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
    try bytes.span.withUnsafeBytes { bytes throws(Errno) in try writeAll(bytes, to: descriptor) }
}

package func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = try retrying { write(descriptor, part.baseAddress, part.count) }
        rest = rest.dropFirst(count)
    }
}

/// Call before opening anything: if the caller closed one of 0, 1 and 2, the next file would get
/// that number, and messages would be written into it.
package func occupyStandardStreams() {
    // Each opened in the wrong direction, so that using it still fails.
    for (number, mode) in [
        (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(number, F_GETFD) < 0 {
        _ = Glibc.open("/dev/null", mode)
    }
}
