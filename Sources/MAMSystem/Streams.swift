// Writing to streams: pipes, terminals, sockets.

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
