// Changes the owner of files.

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

/// Changes a file's owner, converting its content if necessary.
package struct Owners: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func setOwner(
        _ owner: Identity, of descriptor: Descriptor, by giver: Giver
    ) throws(VaultError) -> FileProtection {
        let inode = try Classes(tree).changeableInode(descriptor)
        if inode.isDirectory {
            try systemCall { () throws(Errno) in
                try DirectoryDefaults(tree).setChildOwner(owner.isNobody ? nil : owner, of: inode)
            }
            return Answers(tree).protection(of: inode)
        }
        guard inode.isRegular else { throw .invalid("it is neither a file nor a directory") }
        try give(
            inode, at: { () throws(VaultError) in try place(of: inode, descriptor) },
            to: owner, by: giver)
        return Answers(tree).protection(of: inode)
    }

    /// `place` is evaluated only if the content has to be converted.
    func give(
        _ inode: Inode, at place: () throws(VaultError) -> EntryLocation, to owner: Identity,
        by giver: Giver
    ) throws(VaultError) {
        try refuseWriters(of: inode, before: owner)
        if case .protected(let header)? = Answers(tree).facts(of: inode),
            header.isManaged == tree.vault.isManaged(owner)
        {
            return try KeyRenewal(tree).changingKey { () throws(VaultError) in
                try retag(inode, owner, by: giver)
                KeyRenewal(tree).sealAnewIfExposed(inode, at: place)
            }
        }
        try replace(inode, following: place, owner, by: giver)
    }

    /// Once more if the file was renamed meanwhile.
    private func replace(
        _ inode: Inode, following place: () throws(VaultError) -> EntryLocation,
        _ owner: Identity, by giver: Giver
    ) throws(VaultError) {
        for _ in 0..<Self.patienceForMoves {
            do throws(VaultError) {
                return try replace(inode, at: place(), owner, by: giver)
            } catch {
                guard case .store(.system(.staleHandle)) = error else { throw error }
            }
        }
        try replace(inode, at: place(), owner, by: giver)
    }

    private static let patienceForMoves = 3

    /// What a contained program writes through the handle that it has would be the new owner's.
    private func refuseWriters(of inode: Inode, before owner: Identity) throws(VaultError) {
        guard let account = Containment(tree.vault).confined(inode.header),
            tree.vault.account(of: owner) != account,
            inode.withState({ $0.writerCount }) > 0
        else { return }
        throw .refused("contained programs have it open for writing")
    }

    /// Makes the content plain, and so nobody's: what belongs to an account is sealed.
    package func decrypt(
        _ descriptor: Descriptor, by giver: Giver
    ) throws(VaultError) -> FileProtection {
        let inode = try Classes(tree).changeableInode(descriptor)
        guard inode.isRegular else { throw .invalid("it is a directory") }
        if case .damaged(let error)? = Answers(tree).facts(of: inode) {
            throw .store(.header(error))
        }
        guard let header = inode.header else { return Answers(tree).protection(of: inode) }
        try refuseHolder(inode)
        if header.isManaged || Protections(tree.vault).isUnsealed(header) {
            try give(
                inode, at: { () throws(VaultError) in try place(of: inode, descriptor) },
                to: .nobody, by: giver)
        }
        return Answers(tree).protection(of: inode)
    }

    /// Changes to an owner of the same kind, which takes only a new header.
    private func retag(
        _ inode: Inode, _ owner: Identity, by giver: Giver
    ) throws(VaultError) {
        try Classes(tree).changeHeader(of: inode) { file throws(VaultError) in
            try checkGift(of: inode, file.header, to: owner, by: giver)
            try FileClasses(tree.vault).retag(file, owner)
        }
    }

    private func checkGift(
        of inode: Inode, _ header: FileHeader?, to owner: Identity, by giver: Giver
    ) throws(VaultError) {
        try Gift(tree.vault, by: giver).check(header, to: owner) { tree.relativePath(of: inode) }
    }

    func place(of inode: Inode, _ descriptor: Descriptor) throws(VaultError) -> EntryLocation {
        try systemCall { () throws(Errno) in
            let path: ByteString
            do throws(Errno) { path = try currentPath(of: descriptor.raw) } catch {
                // Too deep for a path: try the place where the kernel last found it.
                guard error == .nameTooLong, let place = lastPlace(of: inode) else { throw error }
                return place
            }
            guard let relative = path.relative(to: tree.mountPoint) else { throw .noEntry }
            let directory = try openBeneath(
                tree.root.raw, relative.directory.cString, openPathOnly | O_DIRECTORY)
            let parentStatus = try status(at: directory.raw, "")
            let node = tree.table.known(BackingID(parentStatus))?.node ?? InodeTable.rootNode
            return EntryLocation(
                directory: directory, parentNode: node, name: relative.lastComponent.cString)
        }
    }

    /// A rename may have outdated it: verify it before changing anything there.
    private func lastPlace(of inode: Inode) -> EntryLocation? {
        let (node, name) = inode.withState { ($0.lastParent, $0.lastName.terminated) }
        guard let name, let parent = try? tree.table.inode(node) else { return nil }
        return EntryLocation(directory: parent.handle, parentNode: node, name: name)
    }

    /// Writes a converted copy and replaces the file with it: atomic, and programs that have it
    /// open keep the same file.
    ///
    /// `giver`: nil if owner and class stay, and only the key changes.
    func replace(
        _ inode: Inode, at place: EntryLocation, _ owner: Identity, by giver: Giver? = nil
    ) throws(VaultError) {
        guard let workDirectory = tree.workDirectory else { throw VaultError(.readOnly) }
        let file = try beginConverting(inode)
        defer { endConverting(inode) }
        let isSame = giver == nil
        if let giver { try checkGift(of: inode, file.header, to: owner, by: giver) }
        let asked =
            isSame
            ? file.header?.sealing?.askedClass
            : (try? tree.table.inode(place.parentNode)).flatMap(Classes(tree).childClass)
        let copy = try systemCall { () throws(Errno) in
            try ConvertedCopy(in: workDirectory, of: inode)
        }
        let conversion = try Conversion(
            of: file, for: owner, asking: asked, into: copy.file, in: tree.vault)
        defer { conversion.end() }
        if isSame { try KeyRenewal(tree).prepareToSealAnew(file, as: conversion.facts) }
        for _ in 0..<Self.conversionTries {
            // Everything that waits for a disk, or grows with the file, comes before renames are
            // excluded.
            try conversion.copy()
            try copy.takeAttributes(of: inode)
            try systemCall { () throws(Errno) in try copy.synchronize() }
            guard try finish(conversion, copy, inode, place) else { continue }
            copy.synchronizePlace(conversion, tree.vault)
            return ClassPass(tree).updateClassSoon(file.header)
        }
        throw Conversion.outrun
    }

    /// Only a program that repeatedly changes megabytes of the file in one call reaches this.
    private static let conversionTries = 10

    /// Replaces the file with the copy, while renames are excluded: inside, nothing is copied,
    /// synced or waited for. False if it has to be retried.
    func finish(
        _ conversion: Conversion, _ copy: ConvertedCopy, _ inode: Inode, _ place: EntryLocation
    ) throws(VaultError) -> Bool {
        try conversion.finish(holding: tree.names) { header throws(VaultError) in
            // A wiped account's file must neither escape the wipe's walk nor become plain.
            try refuseBeingWiped(inode, [header, conversion.facts.header])
            return try tree.metadata.exclusive { () throws(VaultError) in
                // Again, because they may have changed since.
                try copy.takeAttributes(of: inode)
                return try systemCall { () throws(Errno) in
                    try copy.putInPlace(of: inode, at: place, in: tree.table)
                }
            }
        }
    }

    private func refuseBeingWiped(
        _ inode: Inode, _ headers: [FileHeader?]
    ) throws(VaultError) {
        guard tree.vault.isWiping else { return }
        let user = try systemCall { () throws(Errno) in try status(at: inode.handle.raw, "") }
            .st_uid
        for header in headers.compactMap(\.self)
        where tree.vault.isBeingWiped(OwnedHeader(header, user: user)) {
            throw .keyRevoked(header.owner)
        }
    }

    /// The file's shared content, writable; later opens get the same.
    private func beginConverting(_ inode: Inode) throws(VaultError) -> VaultFile {
        Creator(tree).awaitMakers()
        awaitConversion(of: inode)
        return try inode.withState { state throws(VaultError) in
            try state.refuseIfChanging()
            let file = try Classes(tree).fileToChange(inode, &state)
            state.file = file
            state.isWritable = true
            state.isConverting = true
            state.checkCount += 1
            return file
        }
    }

    /// Waits some time for a conversion in progress: its caller may be gone, and a new one arrives.
    /// Not for a thread that serves the mount.
    func awaitConversion(of inode: Inode) {
        let deadline = Deadline(seconds: Self.conversionSeconds)
        while inode.withState({ $0.isConverting }), !deadline.hasPassed { usleep(5000) }
    }

    private static let conversionSeconds = 5

    private func endConverting(_ inode: Inode) {
        inode.withState { state in
            state.isConverting = false
            state.checkCount -= 1
            state.useCount += 1
            state.dropUnusedFile()
        }
        Classes(tree).dropPagesOfClosed(inode)
    }
}

extension Inode.State {
    /// Only one conversion at a time.
    func refuseIfChanging() throws(VaultError) {
        guard !isConverting, !isHeld, !isReplaced else {
            throw .refused("the file is being repaired or rewritten for another owner; try again")
        }
    }
}
