// Where a file has data and holes: lseek(2) with SEEK_DATA and SEEK_HOLE.
//
// The kernel asks without writing its cache back first, and believes the answer. So while somebody may write, all of the
// file is data, up to the size that the kernel knows. With the last handle that may write, everything was sent.

internal import CFuse3
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWorkspace

extension Mount {
    /// Finds it and replies; the reply may come from a thread of its own. What is thrown is the reply.
    func find(
        _ region: Region, from offset: Int64, through handle: OpenHandle,
        _ reply: @escaping @Sendable (Swift.Result<Int64, Errno>) -> Void
    ) throws(Errno) {
        guard handle.inode.withState({ $0.writerCount > 0 }) else {
            return reply(
                .success(
                    try answering { () throws(VaultError) in
                        try handle.file.find(region, from: offset)
                    }))
        }
        if let refusal = handle.file.refusalOfCachedWrites { throw refusal.errno }
        // Asking for the size may need answers of ours: not on a thread that gives them.
        try seekThreads.add {
            self.notifier.whileAttached {
                reply(self.findInCache(region, from: offset, of: handle.inode))
            }
        }
    }

    private func findInCache(
        _ region: Region, from offset: Int64, of inode: Inode
    ) -> Swift.Result<Int64, Errno> {
        let size = (try? CacheProbe(inode, in: self, for: .size))?.cachedSize
        // Programs take this for a file system that knows no holes.
        guard let size else { return .failure(.invalid) }
        guard 0..<size ~= offset else { return .failure(.noSuchAddress) }
        return .success(region == .data ? offset : size)
    }
}
