// Seals files under new keys that no old header or keybag can open.

internal import Glibc
package import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// Seals files whose keys an old header or keybag can open under new keys.
package struct KeyRenewal: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func sealAnew(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !tree.isReadOnly else { return false }
        var count = 0
        // Each file once, though it may have several links.
        var left: Set<BackingID> = []
        var reason: VaultError?
        let isComplete = Walk(tree).walk(while: shallGoOn) { found in
            let inode = found.entry.inode
            guard inode.isRegular, let header = inode.header, isWanted(header) else { return true }
            do throws(VaultError) {
                try sealAnew(inode, at: EntryLocation(found))
                count += 1
                return true
            } catch {
                // A pass that a lock ended continues after the next unlock.
                guard shallGoOn() else { return false }
                if case .store(let damage) = error, damage.isDamage {
                    // Later passes would fail the same way.
                    FileAudit(tree.vault).reportKeptKey(of: found.path, header, damage)
                    return true
                }
                left.insert(inode.backingID)
                reason = reason ?? error
                return false
            }
        }
        FileAudit(tree.vault).reportSealedAnew(count, left: left.count, reason)
        return isComplete
    }

    /// Changes a header, and then the file's key if necessary.
    func changingKey(_ body: () throws(VaultError) -> Void) throws(VaultError) {
        tree.keyChanges.add(1, ordering: .sequentiallyConsistent)
        defer { tree.keyChanges.subtract(1, ordering: .sequentiallyConsistent) }
        try body()
    }

    /// True if ending the daemon now would leave such a file behind.
    package var isChangingKeys: Bool { tree.keyChanges.load(ordering: .sequentiallyConsistent) > 0 }

    /// After a header change that the file key must not outlive. The change itself holds: a failure
    /// to replace the key is logged, shown in the file's protection, and retried.
    func sealAnewIfExposed(_ inode: Inode, at place: () throws(VaultError) -> EntryLocation) {
        guard inode.header?.sealing?.isExposed == true else { return }
        do throws(VaultError) {
            try sealAnew(inode, at: place())
        } catch {
            ClassPass(tree).sealAnewLater(inode.header)
            FileAudit(tree.vault).reportSealedAnew(0, left: 1, error)
        }
    }

    private func sealAnew(_ inode: Inode, at place: EntryLocation) throws(VaultError) {
        guard let header = inode.header, let owner = tree.vault.holder(of: header) else {
            throw .keyMissing(inode.header?.owner ?? .nobody)
        }
        let facts = try systemCall { () throws(Errno) in try status(at: inode.handle.raw, "") }
        // Before a useless copy.
        guard facts.st_nlink == 1 else {
            throw .refused("a file that has \(facts.st_nlink) names cannot be sealed anew")
        }
        try requireRoom(forBlocks: Int64(facts.st_blocks))
        try Owners(tree).replace(inode, at: place, owner)
    }

    /// A copy that users did not request must not fill the disk under their writes.
    private func requireRoom(forBlocks count: Int64) throws(VaultError) {
        let space = try systemCall { () throws(Errno) in try Space(tree).space() }
        let left = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        guard left.overflow || left.partialValue / 1024 >= UInt64(max(0, count)) else {
            throw VaultError(.noSpace)
        }
    }

    /// `facts`: the copy's.
    func prepareToSealAnew(_ file: VaultFile, as facts: FileFacts) throws(VaultError) {
        // If the account disappeared meanwhile, the copy must not become a plain file.
        guard facts.header?.isManaged == true else { throw .keyMissing(file.owner) }
        // The old file's blocks are freed once the copy replaces it; its current header must have
        // overwritten the former ones by then.
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }
}
