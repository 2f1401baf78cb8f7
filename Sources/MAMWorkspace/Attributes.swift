// Changing modes, owners, sizes and times.

internal import CShims
package import Glibc
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// The attributes that one request changes.
package struct AttributeChange {
    package var mode: mode_t?
    package var user: uid_t?
    package var group: gid_t?
    package var size: Int64?
    package var access: timespec?
    package var modification: timespec?

    package init() {}

    /// As the kernel sends it on its own.
    var isModificationOnly: Bool {
        modification != nil && modification?.tv_nsec != utimeNow && access == nil && mode == nil
            && user == nil && group == nil && size == nil
    }
}

/// `UTIME_NOW`, from <bits/stat.h>.
package let utimeNow = (1 << 30) - 1

/// Changes modes, owners, sizes and times.
package struct Attributes: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func change(
        _ node: UInt64, _ handle: OpenHandle?, _ new: AttributeChange, for caller: Caller
    ) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        if let status = try statusOfGone(inode, new) { return Lookup(tree).entry(inode, status) }
        inode.mayHaveChanged.store(true, ordering: .relaxed)
        // The size first: it can be refused, and a refused request should change nothing.
        if let size = new.size {
            try truncate(node, handle, to: size, for: caller)
            try clearSetIDBits(inode, for: caller)
        }
        if new.user != nil || new.group != nil {
            try tree.metadata.shared { () throws(Errno) in
                try changeOwner(
                    inode.handle, user: new.user ?? .max, group: new.group ?? .max, for: caller)
            }
        }
        if let mode = new.mode { try changeMode(inode, to: mode) }
        if new.access != nil || new.modification != nil {
            do throws(Errno) { try changeTimes(inode, new) } catch {
                // The kernel must learn of a new size, or it would keep the old one.
                if new.size == nil { throw error }
            }
        }
        return try Lookup(tree).entry(inode)
    }

    /// When a file loses its last name the kernel sends the file's times. It caches them itself,
    /// and once it forgets the file nothing can find it again, so nothing has to be written. Nil if
    /// there is something to do.
    private func statusOfGone(_ inode: Inode, _ new: AttributeChange) throws(Errno) -> stat? {
        guard new.isModificationOnly, inode.isRegular, !inode.isInUse.load(ordering: .relaxed)
        else { return nil }
        let status = try status(at: inode.handle.raw, "")
        return status.st_nlink == 0 ? status : nil
    }

    /// The daemon's duty: removes the set-id bits when a program without CAP_FSETID changes a
    /// file's content. The kernel does not read the mode again then, so an executed program would
    /// still get the bits.
    func clearSetIDBits(_ inode: Inode, for caller: Caller) throws(Errno) {
        // Almost no file has any, and every write checks this.
        guard try hasSetIDBits(inode.handle), !caller.hasInFirstNamespace(.setSetIDBits)
        else { return }
        let hadSome = try tree.metadata.shared { () throws(Errno) in
            try MAMTree.clearSetIDBits(inode.handle, unless: caller.isMember)
        }
        if hadSome { tree.cache.invalidateSoon(inode) }
    }

    func changeMode(_ inode: Inode, to mode: mode_t) throws(Errno) {
        try tree.metadata.shared { () throws(Errno) in
            try MAMTree.changeMode(inode.handle, to: mode)
        }
    }

    private func truncate(
        _ node: UInt64, _ handle: OpenHandle?, to size: Int64, for caller: Caller
    ) throws(Errno) {
        do throws(Errno) {
            try Handles(tree).withFile(of: node, handle, for: caller) { file throws(VaultError) in
                try file.truncate(to: size)
            }
        } catch {
            guard error == .badMessage, size == 0 else { throw error }
            // A file that cannot be opened has lost everything but its name, so it is begun again.
            let handle = try Handles(tree).open(node, flags: O_RDWR | O_TRUNC, for: caller)
            // No request follows, unlike after an open(2).
            handle.inode.withState { _ = $0.writeGuard.endsTruncation(of: caller.thread) }
            Handles(tree).release(handle)
        }
    }

    private func changeTimes(_ inode: Inode, _ new: AttributeChange) throws(Errno) {
        let omitted = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        let times = [new.access ?? omitted, new.modification ?? omitted]
        // Not while a header is being rewritten, which restores the time it read before.
        try inode.withState { state throws(Errno) in
            if let modification = new.modification {
                let isNow = modification.tv_nsec == utimeNow
                state.toldModification = isNow ? nil : modification
                inode.hasStoredSinceTold.store(false, ordering: .sequentiallyConsistent)
            }
            try setTimes(inode, times)
        }
    }

    /// sync(2) and the kernel's own write-back tell the time while data is still on its way, which
    /// then has the store move it.
    func restoreToldModification(_ inode: Inode) {
        guard inode.hasStoredSinceTold.exchange(false, ordering: .sequentiallyConsistent) else {
            return
        }
        inode.withState { state in
            guard let told = state.toldModification else { return }
            let omitted = timespec(tv_sec: 0, tv_nsec: utimeOmit)
            try? setTimes(inode, [omitted, told])
        }
    }

    private func setTimes(_ inode: Inode, _ times: [timespec]) throws(Errno) {
        try tree.metadata.shared { () throws(Errno) in
            _ = try retrying { utimensat(inode.handle.raw, "", times, Int32(MAM_EMPTY_PATH)) }
        }
    }
}
