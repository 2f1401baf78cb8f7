// Space: reserving, freeing, copying inside the mount, and free space.

internal import CShims
package import Glibc
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Reserves and copies ranges, and reports free space.
package struct Space: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// fallocate(2): mode 0, `KEEP_SIZE`, `PUNCH_HOLE` and `ZERO_RANGE`; others fail with
    /// `EOPNOTSUPP`.
    package func allocate(
        _ handle: OpenHandle, mode: Int32, at offset: Int64, count: Int64, for caller: Caller
    ) throws(Errno) {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard offset >= 0, count > 0 else { throw .invalid }
        guard !overflow else { throw .fileTooLarge }
        try Attributes(tree).clearSetIDBits(handle.inode, for: caller)
        do throws(Errno) {
            try answering { () throws(VaultError) in
                try allocate(handle.file, mode, offset..<end)
            }
        } catch {
            forgetPages(of: handle)
            throw error
        }
    }

    private func allocate(
        _ file: VaultFile, _ mode: Int32, _ range: Range<Int64>
    ) throws(VaultError) {
        let keepSize = mode & Int32(MAM_KEEP_SIZE) != 0
        switch mode & ~Int32(MAM_KEEP_SIZE) {
        case 0:
            try file.reserve(range, keepSize: keepSize)
        case Int32(MAM_PUNCH_HOLE) where keepSize:
            try file.zero(range)
        case Int32(MAM_ZERO_RANGE):
            // First, because it may fail and nothing is lost yet; zeroing frees the space.
            try file.reserve(range, keepSize: true)
            try file.zero(range)
            try file.reserve(range, keepSize: keepSize)
        default:
            throw .store(.system(.notSupported))
        }
    }

    /// The kernel keeps its pages when a call fails, although the store may have changed in part.
    private func forgetPages(of handle: OpenHandle) { tree.cache.invalidateSoon(handle.inode) }

    /// The limit on bytes copied by one request; the kernel requests the rest.
    private static let maximumCopyByteCount = 8 << 20

    /// copy_file_range(2) inside the mount: decrypts, and seals for the other file.
    package func copy(
        from source: OpenHandle, at sourceOffset: Int64, to target: OpenHandle,
        at targetOffset: Int64, count: Int, through buffer: UnsafeMutableRawBufferPointer,
        for caller: Caller
    ) throws(Errno) -> Int {
        var done = 0
        let total = min(count, Self.maximumCopyByteCount)
        while done < total {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(total - done, buffer.count)])
            let found: Int
            do throws(Errno) {
                found = try Handles(tree).read(
                    source, into: part, at: sourceOffset + Int64(done), for: caller)
                if found > 0 {
                    try Handles(tree).write(
                        target, UnsafeRawBufferPointer(rebasing: part[..<found]),
                        at: targetOffset + Int64(done), for: caller)
                }
            } catch {
                forgetPages(of: target)
                if done > 0 { return done }
                throw error
            }
            done += found
            if found < part.count { break }
        }
        // The kernel's size is larger: an end here would be told as the file's.
        if done == 0, total > 0, let loss = source.file.lossAtEnd { throw loss }
        return done
    }

    package func space() throws(Errno) -> statvfs {
        var result = statvfs()
        _ = try retrying { fstatvfs(tree.root.raw, &result) }
        return result
    }
}
