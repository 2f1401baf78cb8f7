// Creates, removes and renames names.

internal import CShims
package import Glibc
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Creates, links, renames and removes names.
package struct Names: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func makeNode(
        _ name: Name, in parent: UInt64, mode: mode_t, device: dev_t, for caller: Caller
    ) throws(Errno) -> Entry {
        // A regular file gets an owner, as open(2) with O_CREAT gives it.
        if mode & S_IFMT == S_IFREG {
            let creation = try Creator(tree).makeFile(name, in: parent, mode: mode, for: caller)
            Handles(tree).release(creation.handle)
            return creation.entry
        }
        // A contained program could hand over through it what it has read, past the daemon.
        guard !connects(mode) || !Containment(tree.vault).isRequiredForSome else {
            throw .notPermitted
        }
        return try make(name, in: parent, for: caller) { directory throws(Errno) in
            _ = try retrying { mknodat(directory, name, mode, device) }
        }
    }

    package func makeDirectory(
        _ name: Name, in parent: UInt64, mode: mode_t, for caller: Caller
    ) throws(Errno) -> Entry {
        let entry = try make(name, in: parent, for: caller) { directory throws(Errno) in
            _ = try retrying { mkdirat(directory, name, mode) }
        }
        let parent = try tree.table.inode(parent)
        do throws(Errno) {
            try Classes(tree).inheritClass(from: parent, to: entry.inode)
            try DirectoryDefaults(tree).inheritOwner(from: parent, to: entry.inode)
        } catch {
            unlinkat(parent.handle.raw, name, AT_REMOVEDIR)
            tree.forget(entry.inode.node, count: 1)
            throw error
        }
        return entry
    }

    package func makeSymbolicLink(
        _ name: Name, in parent: UInt64, to target: Name, for caller: Caller
    ) throws(Errno) -> Entry {
        try make(name, in: parent, for: caller) { directory throws(Errno) in
            _ = try retrying { symlinkat(target, directory, name) }
        }
    }

    private func make(
        _ name: Name, in parent: UInt64, for caller: Caller,
        _ call: (Int32) throws(Errno) -> Void
    ) throws(Errno) -> Entry {
        let parent = try tree.table.inode(parent)
        try tree.refuseReserved(name, in: parent, for: caller.user)
        try tree.names.shared { () throws(Errno) in
            try caller.creating { () throws(Errno) in try call(parent.handle.raw) }
        }
        return try tree.evictor.makingRoom { () throws(Errno) in
            let before = Lookup(tree).epoch
            let made = try FoundFile(name, in: parent.handle, mayBeRead: false)
            return try Lookup(tree).enter(made, named: name, in: parent, since: before)
        }
    }

    package func link(
        _ node: UInt64, as name: Name, in parent: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        let parent = try tree.table.inode(parent)
        try tree.refuseReserved(name, in: parent, for: caller.user)
        // As link(2) says it for such a file system; git then renames.
        guard tree.keepsLinks else { throw .notPermitted }
        try tree.names.shared { () throws(Errno) in
            // Makes the kernel look the name up again.
            if inode.isReplaced { throw tree.table.sentBack.add(inode, for: caller) }
            try tree.refuseWiped(inode)
            try withProcPath(of: inode.handle.raw) { path throws(Errno) in
                _ = try retrying {
                    linkat(AT_FDCWD, path, parent.handle.raw, name, AT_SYMLINK_FOLLOW)
                }
            }
        }
        tree.table.lookUpAgain(inode)
        inode.wasFound(name, in: parent.node)
        let entry = try Lookup(tree).entry(inode)
        if entry.attributes.st_nlink == 1 { inode.follow(name, in: parent.handle) }
        return entry
    }

    package func unlink(
        _ name: Name, in parent: UInt64, for caller: Caller
    ) throws(Errno) {
        try remove(name, in: parent, flags: 0, for: caller)
    }

    package func removeDirectory(
        _ name: Name, in parent: UInt64, for caller: Caller
    ) throws(Errno) {
        try remove(name, in: parent, flags: AT_REMOVEDIR, for: caller)
    }

    private func remove(
        _ name: Name, in parent: UInt64, flags: Int32, for caller: Caller
    ) throws(Errno) {
        let parent = try tree.table.inode(parent)
        if tree.isHidden(name, in: parent) { throw .noEntry }
        try tree.refuseOthersHome(name, in: parent, for: caller.user)
        try tree.names.shared { () throws(Errno) in
            _ = try retrying { unlinkat(parent.handle.raw, name, flags) }
        }
    }

    /// `flags`: those of renameat2(2), which the backing file system supports or refuses.
    /// RENAME_WHITEOUT leaves a device behind, which belongs to the caller.
    package func rename(
        _ name: Name, in parent: UInt64, to newName: Name, in newParent: UInt64, flags: UInt32,
        for caller: Caller
    ) throws(Errno) {
        let from = try tree.table.inode(parent)
        let to = try tree.table.inode(newParent)
        if tree.isHidden(name, in: from) { throw .noEntry }
        try tree.refuseOthersHome(name, in: from, for: caller.user)
        try tree.refuseReserved(newName, in: to, for: caller.user)
        try tree.names.shared { () throws(Errno) in
            try tree.checkMove(of: name, in: from)
            // An exchange moves both.
            if flags != 0 { try tree.checkMove(of: newName, in: to) }
            let rename = { () throws(Errno) in
                _ = try retrying {
                    mam_renameat2(from.handle.raw, name, to.handle.raw, newName, flags)
                }
            }
            guard flags & UInt32(MAM_RENAME_WHITEOUT) == 0 else {
                return try caller.creating(rename)
            }
            try rename()
        }
    }

    /// A link's target, at most `PATH_MAX` bytes, zero-terminated.
    package func target(of node: UInt64) throws(Errno) -> [CChar] {
        let inode = try tree.table.inode(node)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = try retrying { readlinkat(inode.handle.raw, "", &buffer, buffer.count - 1) }
        buffer[count] = 0
        return buffer
    }
}
