// Where a file has data and holes: lseek(2) with SEEK_DATA and SEEK_HOLE.
//
// The kernel asks without writing its cache back first, and trusts the answer. So while a handle
// can write, all of the file counts as data, up to the kernel's size. When the last such handle
// closes, everything was written back.

internal import CFuse3
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWorkspace

extension Mount {
    /// Finds it and replies, possibly from another thread. A thrown error becomes the reply.
    ///
    /// `thread`: the caller's.
    func find(
        _ region: Region, from offset: Int64, through handle: OpenHandle, for thread: Int32,
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
        // The probe sends requests to this daemon: never on a thread that serves them.
        try seekThreads.add {
            self.notifier.whileAttached {
                reply(self.findInCache(region, from: offset, of: handle.inode, for: thread))
            }
        }
    }

    private func findInCache(
        _ region: Region, from offset: Int64, of inode: Inode, for thread: Int32
    ) -> Swift.Result<Int64, Errno> {
        // Programs take EINVAL for a file system without holes.
        guard let size = cachedSize(of: inode, heldBy: thread) else { return .failure(.invalid) }
        guard 0..<size ~= offset else { return .failure(.noSuchAddress) }
        return .success(region == .data ? offset : size)
    }

    /// By the caller's own descriptor where no path is known: the file lost the name by which it
    /// was found, or never had one.
    private func cachedSize(of inode: Inode, heldBy thread: Int32) -> Int64? {
        if let probe = try? CacheProbe(inode, in: self, for: .size) { return probe.cachedSize }
        for link in descriptors(ofThread: thread) {
            guard let probe = try? CacheProbe(inode, in: self, heldAs: link) else { continue }
            return probe.cachedSize
        }
        return nil
    }
}
