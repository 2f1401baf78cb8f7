// Data from the kernel's cache, and what its writers are told when the store has no room for it.

package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

extension Tree {
    /// A full store is asked in each write.
    var accessToWrite: Inode.State.Access {
        room.allowsDirectOpens && room.isShort ? .writeDirectly : .write
    }
}

extension Handles {
    /// Stores data some time after the write(2). Not used for files with set-id bits.
    package func writeBack(
        _ handle: OpenHandle, _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(Errno) {
        var refusal: Errno?
        do throws(VaultError) {
            try handle.file.writeBack(bytes, at: offset) { cause in
                guard cause.meansNoRoom else { return false }
                refusal = cause
                return tree.room.give(for: bytes.count)
            }
        } catch {
            if case .store(.system(let cause)) = error { refusal = cause }
            if let refusal { tellWriters(of: handle.inode, refusal) }
            throw error.errno
        }
        handle.inode.hasStoredSinceTold.store(true, ordering: .sequentiallyConsistent)
        if let refusal { tellWriters(of: handle.inode, refusal) }
        // What is stored now makes room for as much again in the kernel's cache.
        if tree.room.isTouched { tree.cache.awaitAttention() }
    }

    /// The next write to the file fails; and to each file, when only as much room is left as the
    /// kernel may have taken.
    private func tellWriters(of inode: Inode, _ refusal: Errno) {
        let isNew = inode.withState { state in
            defer { state.failedWriteBack = refusal }
            return state.failedWriteBack == nil || state.file?.lostEnd != nil
        }
        if isNew { tree.cache.attend(to: inode) }
        guard tree.room.hasBecomeLow else { return }
        for inode in tree.table.all where inode.isInUse.load(ordering: .relaxed) {
            if inode.withState({ $0.hasCachedWriters }) { tree.cache.attend(to: inode) }
        }
    }

    /// The kernel has been made to ask for the size of a file of which data was lost.
    package func endWhereDataEnds(_ node: UInt64) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        if let file = inode.withState({ $0.file }) {
            try answering { () throws(VaultError) in try file.endWhereDataEnds() }
        }
        return try Lookup(tree).entry(inode)
    }
}
