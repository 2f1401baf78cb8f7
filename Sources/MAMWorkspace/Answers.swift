// Answers the socket's questions about files of the mount.

internal import Glibc
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

/// Reports a file's owner and whether it can be read.
package struct Answers: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func contain(_ descriptor: Descriptor) -> Bool {
        (try? CachedFacts(of: descriptor.raw))?.device == tree.mountDevice
    }

    package func protection(of descriptor: Descriptor) throws(VaultError) -> FileProtection {
        if let inode = try mountedInode(descriptor) { return protection(of: inode) }
        // Not in this mount: the header of a protected file elsewhere names its owner.
        do throws(Errno) {
            return Protections(tree.vault).protection(
                of: try FileFacts(
                    of: descriptor, physicalSize: Int64(status(of: descriptor.raw).st_size),
                    orStream: true))
        } catch {
            throw .notFound("the file is not in this workspace, and cannot be read: \(error)")
        }
    }

    package func protection(
        device: UInt64, inode: UInt64
    ) throws(VaultError) -> FileProtection {
        guard device == tree.mountDevice,
            let inode = tree.table.known(BackingID(device: tree.rootDevice, inode: inode))
        else { throw .notFound("no file in use has this device and inode number") }
        return protection(of: inode)
    }

    /// A file's protection, or what a directory gives its new files.
    package func protection(of inode: Inode) -> FileProtection {
        guard inode.isDirectory else {
            return Protections(tree.vault).protection(of: facts(of: inode))
        }
        let note = DirectoryDefaults(tree).childOwnerNote(of: inode)
        return Protections(tree.vault).protection(
            ofDirectoryAsking: Classes(tree).childClass(of: inode),
            owner: DirectoryDefaults(tree).childOwner(of: inode),
            unproved: note?.isProved == false ? note?.value : nil)
    }

    /// The inode of a regular file or directory on the mount; nil for other file systems.
    func mountedInode(_ descriptor: Descriptor) throws(VaultError) -> Inode? {
        let found = try systemCall { () throws(Errno) in try CachedFacts(of: descriptor.raw) }
        guard found.type == S_IFREG || found.type == S_IFDIR else {
            throw .invalid("it is neither a regular file nor a directory")
        }
        guard found.device == tree.mountDevice else { return nil }
        let inode = tree.inode(of: descriptor, shownAs: found.inode)
        if let inode { try? Lookup(tree).read(inode) }
        return inode
    }

    /// A regular file's current header facts; nil also if they cannot be read now.
    func facts(of inode: Inode) -> FileFacts? {
        try? Lookup(tree).read(inode)
        return inode.withState { $0.file?.facts ?? $0.facts }
    }
}
