// Which class a file gets, and bringing files to it that have another.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem

extension Vault {
    /// The class that a managed file of an account gets, for which `asked` was asked or, with nil, nothing.
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

    /// Asks for a class for a managed file, or with nil for what policy says. The header is synced before this
    /// returns.
    ///
    /// Both windows must be open, that of the class that the file has and that of the one that it gets: its key is
    /// unwrapped and wrapped again.
    package func setClass(
        _ asked: ProtectionClass?, of file: VaultFile
    ) throws(VaultError) {
        guard let header = file.header, let sealing = header.sealing else {
            throw .notManaged(file.owner)
        }
        let account = keyring.account(ofKey: sealing.keyID)
        let isThere = sealing.protectionClass == self.effectiveClass(asked: asked, of: account)
        if isThere, sealing.askedClass == asked {
            // Nothing to do; refused all the same where any other class would be.
            guard window(for: header)?.allowsUse == true else { throw closure(of: header) }
            return
        }
        try rewrap(file, as: header.owner, asking: asked)
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }

    /// True for a file that has another class than policy and settings now say, and whose keys are at hand.
    package func isOutOfDate(_ header: FileHeader?) -> Bool {
        guard let header, let account = accountOfWrongClass(header) else { return false }
        return windows(of: account)?.hasAllKeys ?? false
    }

    /// The account of a file that has another class than policy and settings now say; nil for all others.
    func accountOfWrongClass(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing,
            sealing.protectionClass != effectiveClass(of: sealing)
        else { return nil }
        return keyring.account(ofKey: sealing.keyID)
    }

    /// Gives a file the class that policy and settings now say, if it has another. A failure leaves it as it is.
    package func updateClass(of file: VaultFile) throws(VaultError) {
        guard let header = file.header, accountOfWrongClass(header) != nil else { return }
        try rewrap(file, as: header.owner, asking: header.sealing?.askedClass)
    }

    /// Wraps a managed file's key anew, for an owner and for the class that follows from what is asked.
    func rewrap(
        _ file: VaultFile, as owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        try admit(file)
        let account = account(of: owner)
        let new = self.effectiveClass(asked: asked, of: account)
        // As for a new file: a lock waits until the header says which window the file is behind.
        guard let window = account.flatMap({ windows(of: $0) })?.window(new), window.beginUse()
        else { throw closure(of: account, owner) }
        defer { window.endUse() }
        do throws(StoreError) {
            try file.stored.rewrap(
                owner: canonical(owner), as: new, asked: asked, sealer: sealer)
        } catch {
            if error == .keyUnavailable { throw .windowClosed(owner) }
            throw .store(error)
        }
        file.headerChanged()
    }
}
