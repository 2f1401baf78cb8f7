// Which files may be opened, created and begun anew, and by whom.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMStore
package import MAMSystem

extension Vault {
    /// Takes a backing file into use. Its key comes with ``admit(_:)``.
    package func file(
        _ descriptor: Descriptor, endMarkRule: EndMarkRule = .accept
    ) throws(VaultError) -> VaultFile {
        use(
            try storing { () throws(StoreError) in
                try StoredFile(opening: descriptor, endMarkRule: endMarkRule)
            })
    }

    /// Takes a backing file into use that was made just now, to be begun.
    package func newFile(_ descriptor: Descriptor) -> VaultFile {
        use(StoredFile(new: descriptor))
    }

    /// Takes a backing file into use that is about to be begun anew: damage does not matter then.
    package func fileToReplace(_ descriptor: Descriptor) throws(VaultError) -> VaultFile {
        do throws(VaultError) {
            return try file(descriptor)
        } catch {
            guard case .store(let reason) = error, reason.isDamage else { throw error }
            return use(
                try storing { () throws(StoreError) in try StoredFile(discarding: descriptor) })
        }
    }

    private func use(_ stored: StoredFile) -> VaultFile {
        let file = VaultFile(stored, in: self)
        openFiles.add(file)
        return file
    }

    /// Lets an existing file be opened, and fetches its key.
    ///
    /// One that does not end where its last block says so is damaged; but shown as it is where a
    /// crash or a failed call may have left it so.
    package func admit(_ file: VaultFile) throws(VaultError) {
        try metrics.counting(.opens) { () throws(VaultError) in try letIn(file) }
    }

    private func letIn(_ file: VaultFile) throws(VaultError) {
        guard let window = file.window else { return }
        window.noteUse()
        guard window.allowsOpen else { throw closure(of: file.header) }
        if file.stored.needsKey { try provideKey(to: file.stored) }
        do throws(StoreError) { try file.stored.proveEnd() } catch {
            guard case .wrongEnd = error, let header = file.header,
                uncertainEnds.contains(header)
            else { throw .store(error) }
            reportUncertainEnd(of: file)
        }
    }

    /// Why a file with this header cannot be used.
    func closure(of header: FileHeader?) -> VaultError {
        let owner = header?.owner ?? .nobody
        guard let key = header?.sealing?.keyID else { return .keyMissing(owner) }
        if keyring.wipes.first(ofKey: key) != nil { return .keyRevoked(owner) }
        guard let account = keyring.account(ofKey: key) else { return .keyMissing(owner) }
        return closure(of: account, owner)
    }

    /// Refuses a creation whose file could not be written to.
    package func checkCreation(
        by owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        guard let account = account(of: owner) else { return try refuseWiped(owner) }
        let effective = self.effectiveClass(asked: asked, of: account)
        guard let window = windows(of: account)?.window(effective), window.allowsUse else {
            throw closure(of: account, owner)
        }
    }

    /// What a program makes for an account that is being wiped was to be sealed: it must not become
    /// a plain file.
    func refuseWiped(_ owner: Identity) throws(VaultError) {
        if keyring.wipes.first(matching: owner) != nil { throw .keyRevoked(owner) }
    }

    /// Makes a file that is empty, or is being truncated by its opener, a new one of this owner's.
    ///
    /// `origin`: where it comes from. `asked`: the class that its directory asks for.
    package func begin(
        _ file: VaultFile, as owner: Identity, from origin: Origin = .workspace,
        asking asked: ProtectionClass?
    ) throws(VaultError) {
        try metrics.counting(.creations) { () throws(VaultError) in
            try makeAnew(file, as: owner, from: origin, asking: asked)
        }
    }

    /// Where a file is that is begun.
    package enum Origin: Sendable {
        /// In the workspace, from before: something may be in it.
        case workspace
        /// The same, of ``newFile(_:)``.
        case new
        /// Where other programs than this daemon write to it.
        case outside
    }

    private func makeAnew(
        _ file: VaultFile, as owner: Identity, from origin: Origin, asking asked: ProtectionClass?
    ) throws(VaultError) {
        if let window = file.window, !window.allowsOpen { throw closure(of: file.header) }
        let account = account(of: owner)
        if account == nil { try refuseWiped(owner) }
        let effectiveClass = self.effectiveClass(asked: asked, of: account)
        let window = account.flatMap { windows(of: $0) }?.window(effectiveClass)
        if let window, !window.beginUse() {
            throw window.state == .revoked ? .keyRevoked(owner) : closure(of: account, owner)
        }
        defer { window?.endUse() }
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()),
            owner: account.map { keyring.identity(of: $0) } ?? canonical(owner),
            sealing: account.map { _ in
                .init(
                    protectionClass: effectiveClass, askedClass: asked, keyID: .none,
                    isSparse: false, ephemeralKey: .zero)
            })
        let key = account.map { _ in SecretBytes.random(count: AESGCM.keyByteCount) }
        do throws(StoreError) {
            if origin == .new {
                try file.stored.begin(as: header, key: key, sealer: sealer)
            } else {
                try file.stored.startOver(
                    as: header, key: key, isNoted: origin == .workspace, sealer: sealer)
            }
        } catch {
            if error == .keyUnavailable { throw .windowClosed(owner) }
            throw .store(error)
        }
        file.headerChanged()
    }

    /// Unwraps the file key from the header.
    func provideKey(to stored: StoredFile) throws(VaultError) {
        do throws(StoreError) {
            try stored.provideKey { header, bytes throws(StoreError) in
                try fileKey(
                    of: header,
                    wrapped: UnsafeRawBufferPointer(
                        rebasing: bytes[FileHeader.wrappedKeyRange]),
                    associatedData: UnsafeRawBufferPointer(
                        rebasing: bytes[..<FileHeader.associatedByteCount]))
            }
        } catch {
            if error == .keyUnavailable { throw closure(of: stored.header) }
            throw .store(error)
        }
    }

    /// Opens the key wrap of a header.
    func fileKey(
        of header: FileHeader, wrapped: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer
    ) throws(StoreError) -> SecretBytes {
        guard let sealing = header.sealing else { throw .keyUnavailable }
        do throws(KeyringError) {
            return try keyring.unwrap(
                wrapped, keyID: sealing.keyID, protectionClass: sealing.protectionClass,
                ephemeralKey: sealing.ephemeralKey, associatedData: associatedData)
        } catch {
            // A header that its own account's key does not open was forged or damaged.
            if case .notAuthentic = error { throw .damaged(block: 0) }
            throw .keyUnavailable
        }
    }

    /// The last handle of a file was closed. True if what the kernel has cached of it has to go: a
    /// file of class B that was open through a lock is sealed with its last handle.
    package func closed(_ file: VaultFile) -> Bool {
        guard file.window?.state == .openFilesOnly else { return false }
        file.stored.revokeKey()
        return true
    }

    /// Logs cached content that could not be stored.
    func reportDiscarded(_ count: Int, at offset: Int64, of file: VaultFile, _ error: VaultError) {
        auditLoss(
            of: file,
            "lost: \(count) bytes at \(offset) that were written to a file of \(file.owner):"
                + " \(error)"
        )
    }

    func reportUnfinished(_ file: VaultFile, _ error: StoreError) {
        log.warning("a file of \(file.owner) was closed before all was stored and synced: \(error)")
    }

    /// Logs damage where it is met; returns the error as the vault's.
    func reported(_ error: StoreError, owner: Identity) -> VaultError {
        if error.isDamage {
            metrics.count(.damagedBlocks)
            log.warning("a file of \(owner): \(error)")
        }
        return .store(error)
    }
}
