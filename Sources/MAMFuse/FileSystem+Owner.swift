// Giving a file to another owner.

internal import CFuse3
internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMVault

extension FileSystem {
    package func setOwner(
        _ owner: Identity, of descriptor: Descriptor, for caller: Identity
    ) throws(VaultError) -> ProtectionInfo {
        let inode = try changeableInode(descriptor)
        guard inode.isRegular else {
            throw .invalid("it is a directory; only files have owners")
        }
        if case .protected(let header)? = facts(of: inode),
            header.isManaged == vault.isManaged(owner)
        {
            try retag(inode, owner, for: caller)
            return vault.protection(of: facts(of: inode))
        }
        let place = try place(of: descriptor)
        let facts = try replace(inode, at: place, owner, for: caller)
        // The kernel knows the old inode by this name; without a lock, for it may have to ask us.
        place.name.withUnsafeBufferPointer { name in
            if let name = name.baseAddress { notifier.invalidate(name, in: place.parentNode) }
        }
        notifier.invalidate(inode.node)
        return vault.protection(of: facts)
    }

    /// Another owner of the same kind: the header alone changes.
    private func retag(
        _ inode: Inode, _ owner: Identity, for caller: Identity
    ) throws(VaultError) {
        try changeHeader(of: inode) { file throws(VaultError) in
            try checkGift(of: file.header, to: owner, from: caller)
            try vault.retag(file, owner)
        }
    }

    /// Who may not read a file may not give it away either. To give it to its owner changes nothing.
    private func checkGift(
        of header: FileHeader?, to owner: Identity, from caller: Identity
    ) throws(VaultError) {
        guard header?.owner.matches(owner) != true else { return }
        try vault.checkTransfer(of: header) { caller }
    }

    /// Where a file stands: its directory in the backing tree, and its name there.
    struct Place {
        let directory: Descriptor
        let parentNode: UInt64
        let name: [CChar]
    }

    private func place(of descriptor: Descriptor) throws(VaultError) -> Place {
        try systemCall { () throws(Errno) in
            guard let relative = try currentPath(of: descriptor.raw).relative(to: mountPoint) else {
                throw .noEntry
            }
            let directory = try openBeneath(
                root.raw, relative.directory.cString, openPathOnly | O_DIRECTORY)
            let parentStatus = try status(at: directory.raw, "")
            let node = table.known(BackingID(parentStatus))?.node ?? InodeTable.rootNode
            return Place(
                directory: directory, parentNode: node, name: relative.lastComponent.cString)
        }
    }

    /// Writes a converted copy and puts it in the file's place: old or new at every moment.
    ///
    /// Nobody can open the file meanwhile (`EBUSY`), and so nobody writes to what is about to go; who opens the
    /// old one afterwards is sent to look the name up again.
    /// Returns what the new file's header says.
    private func replace(
        _ inode: Inode, at place: Place, _ owner: Identity, for caller: Identity
    ) throws(VaultError) -> FileFacts {
        try inode.withState { state throws(VaultError) in
            guard state.openCount == 0, !state.isConverting, !state.isReplaced else {
                throw .refused("the file is open; close it and try again")
            }
            state.isConverting = true
        }
        defer { inode.withState { $0.isConverting = false } }
        try checkGift(of: inode.header, to: owner, from: caller)
        let asked = (try? table.inode(place.parentNode)).flatMap(childClass)
        guard let workDirectory else { throw VaultError(.readOnly) }
        let copy = try ConvertedCopy(
            in: workDirectory, of: inode, for: owner, asking: asked, vault: vault)
        // Asked while a failure still means that nothing was changed.
        let facts = try copy.facts()
        // No name changes between the last look and the exchange.
        try names.exclusive { () throws(VaultError) in
            // Neither past who looks for its files, nor out of its reach as plain ones.
            for header in [inode.header, facts.header] where vault.isBeingWiped(header) {
                throw .keyRevoked(header?.owner ?? .nobody)
            }
            try copy.takeAttributes(of: inode)
            try systemCall { () throws(Errno) in try copy.putInPlace(of: inode, at: place) }
            inode.withState { $0.isReplaced = true }
        }
        copy.synchronizePlace(vault)
        return facts
    }
}
