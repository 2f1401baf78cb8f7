// Sealed files whose first block never reached the disk.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// True for a file without content whose header is zeros (docs/FORMAT.md, section 1).
///
/// A file system that fails to store a new file's first block, as when it is full, may keep the
/// file's size. Nobody was told that anything is stored: no sync succeeded.
func isUnwritten(_ file: Descriptor, physicalSize: Int64) throws(Errno) -> Bool {
    guard physicalSize == Int64(Layout.blockByteCount) else { return false }
    var block = InlineArray<4096, UInt8>(repeating: 0)
    var span = block.mutableSpan
    return try span.withUnsafeMutableBytes { buffer throws(Errno) in
        let count = try readFully(file.raw, into: buffer, at: 0)
        return count == buffer.count && buffer.allSatisfy { $0 == 0 }
    }
}
