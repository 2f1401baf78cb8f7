// Determines files' classes, and updates files whose class is outdated.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem

/// Determines the class and key of a file, and wraps its key again.
package struct FileClasses: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// The rule for an account's files; nil: for a file whose account is unknown.
    func rule(of account: AccountID?) -> ClassRule {
        (account.map { vault.merged(of: $0) } ?? vault.mergedOfAll).classRule
    }

    /// The class of an account's managed file, given the requested class, if any.
    package func effectiveClass(
        asked: ProtectionClass?, of account: AccountID?
    ) -> ProtectionClass {
        rule(of: account).effectiveClass(asked: asked)
    }

    /// The class of the file with this header.
    package func effectiveClass(of sealing: FileHeader.Sealing) -> ProtectionClass {
        effectiveClass(asked: sealing.askedClass, of: vault.keyring.account(ofKey: sealing.keyID))
    }

    /// True for a file with an outdated class or a retired key, if its keys are loaded.
    package func isOutOfDate(_ header: FileHeader?) -> Bool {
        guard let header, let account = accountOfStaleKey(header) else { return false }
        return vault.windows[account]?.hasAllKeys ?? false
    }

    /// The account of a file with an outdated class or a retired key; nil for all others.
    package func accountOfStaleKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, let holder = vault.keyring.holder(ofKey: sealing.keyID)
        else { return nil }
        let effective = effectiveClass(asked: sealing.askedClass, of: holder.account)
        return holder.isRetired || sealing.protectionClass != effective ? holder.account : nil
    }

    /// The account of a file whose key an old header can unwrap; nil for all others.
    package func accountOfExposedKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, sealing.isExposed else { return nil }
        return vault.keyring.account(ofKey: sealing.keyID)
    }
}

// Changes a file's class or owner in its header.
extension FileClasses {
    /// Requests a class for a managed file, or with nil the class of policy. Syncs the header.
    ///
    /// Both the old class's window and the new one's must be open, because the key is unwrapped and
    /// wrapped again.
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
            // Nothing changes, but a closed window refuses this like any other class.
            guard vault.window(for: header)?.allowsUse == true else {
                throw vault.closure(of: header)
            }
            return
        }
        try rewrap(file, as: header.owner, asking: asked)
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }

    /// Gives a file the class that policy and settings now require, and wraps its key under a
    /// current one. A failure leaves the file unchanged.
    package func updateClass(of file: VaultFile) throws(VaultError) {
        guard let header = file.header, accountOfStaleKey(header) != nil else { return }
        try rewrap(file, as: header.owner, asking: header.sealing?.askedClass)
    }

    /// Wraps a managed file's key again, for an owner and the class that follows from the request.
    ///
    /// Effective at once: the file closes with its new class. But the file key stays, and the old
    /// header can still unwrap it under the old class's key. If the new class or owner must exclude
    /// that, the header is marked until the content is sealed under a new key.
    package func rewrap(
        _ file: VaultFile, as owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        try Files(vault).admit(file)
        let account = vault.account(of: owner)
        let new = effectiveClass(asked: asked, of: account)
        let isExposed =
            file.header?.sealing.map { opensWhatFollows($0, new, of: account) } ?? false
        // As for a new file: a lock waits until the header determines the file's window.
        guard let window = account.flatMap({ vault.windows[$0] })?.window(new),
            let use = window.beginUse()
        else { throw vault.closure(of: account, owner) }
        defer { window.end(use) }
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

    /// True if the old header opens where the new one, of this class and account, must not.
    private func opensWhatFollows(
        _ old: FileHeader.Sealing, _ new: ProtectionClass, of account: AccountID?
    ) -> Bool {
        guard let holder = vault.keyring.holder(ofKey: old.keyID) else { return false }
        return holder.isRetired || holder.account != account
            || new != old.protectionClass.weaker(of: new)
    }

    /// Changes an owner to another of the same kind: managed to managed, or unmanaged to unmanaged.
    /// Syncs the header.
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
