// Which class a file gets, and bringing files to it that have another.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem

extension Vault {
    /// The class that a managed file of an account gets, for which `asked` was asked or, with nil,
    /// nothing.
    ///
    /// `account`: nil where it is not known whose the file is going to be.
    package func effectiveClass(
        asked: ProtectionClass?, of account: AccountID?
    ) -> ProtectionClass {
        (account.map { merged(of: $0) } ?? mergedOfAll).effectiveClass(asked: asked)
    }

    /// The class that the file of this header gets.
    func effectiveClass(of sealing: FileHeader.Sealing) -> ProtectionClass {
        effectiveClass(asked: sealing.askedClass, of: keyring.account(ofKey: sealing.keyID))
    }

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
        let holder = keyring.holder(ofKey: sealing.keyID)
        let account = holder?.account
        let isThere = sealing.protectionClass == self.effectiveClass(asked: asked, of: account)
        if isThere, sealing.askedClass == asked, holder?.isRetired != true {
            // Nothing to do; refused all the same where any other class would be.
            guard window(for: header)?.allowsUse == true else { throw closure(of: header) }
            return
        }
        try rewrap(file, as: header.owner, asking: asked)
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }

    /// True for a file that has another class than policy and settings now say, or a retired key,
    /// and whose keys are at hand.
    package func isOutOfDate(_ header: FileHeader?) -> Bool {
        guard let header, let account = accountOfStaleKey(header) else { return false }
        return windows(of: account)?.hasAllKeys ?? false
    }

    /// The account of a file that has another class than policy and settings now say, or whose key
    /// is wrapped with one that is retired; nil for all others.
    func accountOfStaleKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, let holder = keyring.holder(ofKey: sealing.keyID)
        else { return nil }
        let effective = effectiveClass(asked: sealing.askedClass, of: holder.account)
        return holder.isRetired || sealing.protectionClass != effective ? holder.account : nil
    }

    /// The account of a file whose key is opened by bytes that are no more the file's; nil for all
    /// others.
    func accountOfExposedKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, sealing.isExposed else { return nil }
        return keyring.account(ofKey: sealing.keyID)
    }

    /// Whose key seals a file: the account, as headers name it.
    package func holder(of header: FileHeader) -> Identity? {
        header.sealing.flatMap { keyring.account(ofKey: $0.keyID) }.map { keyring.identity(of: $0) }
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
    func rewrap(
        _ file: VaultFile, as owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        try admit(file)
        let account = account(of: owner)
        let new = self.effectiveClass(asked: asked, of: account)
        let isExposed =
            file.header?.sealing.map { opensWhatFollows($0, new, of: account) } ?? false
        // As for a new file: a lock waits until the header says which window the file is behind.
        guard let window = account.flatMap({ windows(of: $0) })?.window(new), window.beginUse()
        else { throw closure(of: account, owner) }
        defer { window.endUse() }
        do throws(StoreError) {
            try file.stored.rewrap(
                owner: canonical(owner), as: new, asked: asked, isExposed: isExposed,
                sealer: sealer)
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
        guard let holder = keyring.holder(ofKey: old.keyID) else { return false }
        return holder.isRetired || holder.account != account
            || new != old.protectionClass.weaker(of: new)
    }
}
