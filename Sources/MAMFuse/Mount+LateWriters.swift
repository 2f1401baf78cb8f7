// Making the kernel ask before each write to tree that we cannot open (see WriteGuard).

internal import CFuse3
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

extension Mount {
    /// By path where the mode shuts us out, and through a program that has the file open where it was removed. What is held in
    /// neither way, by a program of another user's or one that hides its descriptors, keeps a gap: a write(2) that waits for
    /// another over the whole lock.
    func waitForWriters(of inodes: [Inode]) {
        var nameless: [ByteString: Inode] = [:]
        for inode in inodes {
            if let probe = try? CacheProbe(inode, in: self, for: .size) {
                probes.waitForWriters(probe)
            } else if let path = tree.mountedPath(of: inode) {
                nameless[path] = inode
            }
        }
        guard !nameless.isEmpty else { return }
        for (path, links) in descriptors(of: Set(nameless.keys)) {
            guard let inode = nameless[path] else { continue }
            for link in links {
                guard let probe = try? CacheProbe(inode, in: self, heldAs: link) else { continue }
                probes.waitForWriters(probe)
                break
            }
        }
    }
}
