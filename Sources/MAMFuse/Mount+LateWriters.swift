// Making the kernel ask before each write to a file that the daemon cannot open (``WriteGuard``).

internal import CFuse3
internal import MAMModel
internal import MAMSystem
internal import MAMTree

extension Mount {
    /// By path if the mode forbids opening it; through a program that has it open if it was
    /// removed. One gap is left: a removed file, held by another user's program or by one that
    /// hides its descriptors, can be written by a write(2) that waits for another during the whole
    /// lock.
    func waitForWriters(of inodes: [Inode]) {
        var nameless: [ByteString: Inode] = [:]
        for inode in inodes {
            if let probe = try? CacheProbe(inode, in: self, for: .size) {
                ownAccesses.waitForWriters(probe)
            } else if let path = tree.mountedPath(of: inode) {
                nameless[path] = inode
            }
        }
        guard !nameless.isEmpty else { return }
        for (path, links) in descriptors(of: Set(nameless.keys)) {
            guard let inode = nameless[path] else { continue }
            for link in links {
                guard let probe = try? CacheProbe(inode, in: self, heldAs: link) else { continue }
                ownAccesses.waitForWriters(probe)
                break
            }
        }
    }
}
