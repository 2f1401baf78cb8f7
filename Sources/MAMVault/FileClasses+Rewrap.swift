// Giving a file another class or owner by its header.

internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
internal import MAMSystem

extension FileClasses {
    /// Asks for a class for a managed file, or with nil for what policy says. The header is synced
    /// before this returns.
    ///
    /// Both windows must be open, that of the class that the file has and that of the one that it
    /// gets: its key is unwrapped and wrapped again.
    package func setClass(
        _ asked: ProtectionClass?, of file: VaultFile
    ) throws(VaultError) {
        guard let header = file.header, let sealing = header.sealing else {
            throw .notManaged(file.owner)
        }
        let holder = vault.keyring.holder(ofKey: sealing.keyID)
        let account = holder?.account
        let isThere = sealing.protectionClass == effectiveClass(asked: asked, of: account)
        if isThere, sealing.askedClass == asked, holder?.isRetired != true {
            // Nothing to do; refused all the same where any other class would be.
            guard vault.window(for: header)?.allowsUse == true else {
                throw vault.closure(of: header)
            }
            return
        }
        try rewrap(file, as: header.owner, asking: asked)
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }

    /// Gives a file the class that policy and settings now say, if it has another, and wraps it
    /// with a key that is not retired. A failure leaves it as it is.
    package func updateClass(of file: VaultFile) throws(VaultError) {
        guard let header = file.header, accountOfStaleKey(header) != nil else { return }
        try rewrap(file, as: header.owner, asking: header.sealing?.askedClass)
    }

    /// Wraps a managed file's key anew, for an owner and for the class that follows from what is
    /// asked.
    ///
    /// It holds from now on: the file is closed when its new class is. But the key stays, and who
    /// has kept the old header and what opened it has the key. Where that is not meant to be, the
    /// header says so until the content is sealed under a new key.
    package func rewrap(
        _ file: VaultFile, as owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        try Files(vault).admit(file)
        let account = vault.account(of: owner)
        let new = effectiveClass(asked: asked, of: account)
        let isExposed =
            file.header?.sealing.map { opensWhatFollows($0, new, of: account) } ?? false
        // As for a new file: a lock waits until the header says which window the file is behind.
        guard let window = account.flatMap({ vault.windows(of: $0) })?.window(new),
            window.beginUse()
        else { throw vault.closure(of: account, owner) }
        defer { window.endUse() }
        do throws(StoreError) {
            try file.stored.rewrap(
                owner: vault.canonical(owner), as: new, asked: asked, isExposed: isExposed,
                sealer: vault.sealer)
        } catch {
            if error == .keyUnavailable { throw .windowClosed(owner) }
            throw .store(error)
        }
        file.headerChanged()
    }

    /// True if an old header opens where the new one, of this class and account, is not to.
    private func opensWhatFollows(
        _ old: FileHeader.Sealing, _ new: ProtectionClass, of account: AccountID?
    ) -> Bool {
        guard let holder = vault.keyring.holder(ofKey: old.keyID) else { return false }
        return holder.isRetired || holder.account != account
            || new != old.protectionClass.weaker(of: new)
    }

    /// Gives a file to an owner of the same kind: managed to managed, or unmanaged to unmanaged.
    /// The header is synced before this returns.
    package func retag(_ file: VaultFile, _ owner: Identity) throws(VaultError) {
        guard let header = file.header else { throw .invalid("the file has no header") }
        if let sealing = header.sealing {
            try rewrap(file, as: owner, asking: sealing.askedClass)
        } else {
            try storing { () throws(StoreError) in
                try file.stored.rewriteOwner(vault.canonical(owner))
            }
            file.headerChanged()
        }
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }
}
