// Which files may be opened, created and begun, and by which caller.

internal import MAMAudit
package import MAMCrypto
package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
package import MAMStore
package import MAMSystem

/// Opens files through their windows, and begins new ones.
package struct Files: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Opens an existing backing file; ``admit(_:)`` loads its key. `knownSize`: its `st_size`, if
    /// that was already read.
    package func file(
        _ descriptor: Descriptor, knownSize: Int64? = nil, endMarkRule: EndMarkRule = .accept
    ) throws(VaultError) -> VaultFile {
        use(
            try storing { () throws(StoreError) in
                try StoredFile(
                    opening: descriptor, knownSize: knownSize, endMarkRule: endMarkRule)
            })
    }

    /// Takes a backing file that will be begun again, so damage does not matter. `knownSize`: as in
    /// ``file(_:knownSize:endMarkRule:)``.
    package func fileToReplace(
        _ descriptor: Descriptor, knownSize: Int64? = nil
    ) throws(VaultError) -> VaultFile {
        do throws(VaultError) {
            return try file(descriptor, knownSize: knownSize)
        } catch {
            guard case .store(let reason) = error, reason.isDamage else { throw error }
            return use(
                try storing { () throws(StoreError) in try StoredFile(discarding: descriptor) })
        }
    }

    func use(_ stored: StoredFile) -> VaultFile {
        let file = VaultFile(stored, in: vault)
        vault.openFiles.add(file)
        return file
    }

    /// Permits opening an existing file, and loads its key.
    ///
    /// A file whose size contradicts its last block is damaged, but shown as it is if a crash or a
    /// failed call may explain it.
    package func admit(_ file: VaultFile) throws(VaultError) {
        try vault.sinks.metrics.counting(.opens) { () throws(VaultError) in try letIn(file) }
    }

    private func letIn(_ file: VaultFile) throws(VaultError) {
        guard let window = file.window else { return }
        window.noteUse()
        guard window.allowsOpen else { throw vault.closure(of: file.header) }
        if file.stored.needsKey { try provideKey(to: file.stored) }
        do throws(StoreError) {
            try file.stored.proveEnd { vault.openFiles.uncertainEnds.contains($0) }
        } catch {
            guard case .wrongEnd = error, let header = file.header,
                vault.openFiles.uncertainEnds.contains(header)
            else { throw .store(error) }
            FileAudit(vault).reportUncertainEnd(of: file)
        }
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
            if error == .keyUnavailable { throw vault.closure(of: stored.header) }
            throw .store(error)
        }
    }

    /// Unwraps a header's key.
    package func fileKey(
        of header: FileHeader, wrapped: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer
    ) throws(StoreError) -> SecretBytes {
        guard let sealing = header.sealing else { throw .keyUnavailable }
        do throws(KeyringError) {
            return try vault.keyring.unwrap(
                wrapped, keyID: sealing.keyID, protectionClass: sealing.protectionClass,
                ephemeralKey: sealing.ephemeralKey, associatedData: associatedData)
        } catch {
            // A header that its own account's key does not open is forged or damaged.
            if case .notAuthentic = error { throw .damaged(block: 0) }
            throw .keyUnavailable
        }
    }

    /// Seals a stream's key.
    package func head(
        sealing header: FileHeader, key: SecretBytes
    ) throws(StoreError) -> StreamHead { try vault.sealer.seal(header, key: key) }

    /// Called when a file's last handle closed. True if the kernel's cache of it has to be dropped:
    /// a class B file that stayed open through a lock closes with its last handle.
    package func closed(_ file: VaultFile) -> Bool {
        guard file.window?.state == .openFilesOnly else { return false }
        file.stored.revokeKey()
        return true
    }

    /// Refuses the content of a foreign file if the settings say so. Truncating it is permitted,
    /// because that makes it a new file.
    package func checkForeign(_ facts: FileFacts) throws(VaultError) {
        guard vault.rules.settings.foreignFiles == .refuse, case .foreign = facts else { return }
        throw .refused("it has no protection header, and the setting ForeignFiles refuses that")
    }
}

// Begins files: new ones, and existing ones that are overwritten.
extension Files {
    /// Refuses to create a file that could not be written to.
    package func checkCreation(
        by owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        guard let account = vault.account(of: owner) else { return try refuseWiped(owner) }
        let effective = FileClasses(vault).effectiveClass(asked: asked, of: account)
        guard let window = vault.windows[account]?.window(effective), window.allowsUse else {
            throw vault.closure(of: account, owner)
        }
    }

    /// A file created for an account that is being wiped would have been sealed: it must not become
    /// plain.
    package func refuseWiped(_ owner: Identity) throws(VaultError) {
        if vault.keyring.wipes.first(matching: owner) != nil { throw .keyRevoked(owner) }
    }

    /// Makes a newly created backing file, which is empty, one of this owner's.
    ///
    /// `asked`: the class that its directory requests.
    package func newFile(
        _ descriptor: Descriptor, as owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) -> VaultFile {
        try vault.sinks.metrics.counting(.creations) { () throws(VaultError) in
            try beginning(as: owner, asking: asked) { header, key throws(StoreError) in
                use(
                    try StoredFile(
                        beginning: descriptor, as: header, key: key, sealer: vault.sealer))
            }
        }
    }

    /// Makes a file that is empty, or being truncated by its opener, a new one of this owner's.
    ///
    /// `isInWorkspace`: false where other programs write it, too.
    package func begin(
        _ file: VaultFile, as owner: Identity, isInWorkspace: Bool = true,
        asking asked: ProtectionClass?
    ) throws(VaultError) {
        try vault.sinks.metrics.counting(.creations) { () throws(VaultError) in
            if let window = file.window, !window.allowsOpen {
                throw vault.closure(of: file.header)
            }
            try beginning(as: owner, asking: asked) { header, key throws(StoreError) in
                try file.stored.startOver(
                    as: header, key: key, isNoted: isInWorkspace, sealer: vault.sealer)
                file.headerChanged()
            }
        }
    }

    /// Runs `write` with a new file's header and key while the owner's window is open.
    private func beginning<Value>(
        as owner: Identity, asking asked: ProtectionClass?,
        _ write: (FileHeader, SecretBytes?) throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        let account = vault.account(of: owner)
        if account == nil { try refuseWiped(owner) }
        let effectiveClass = FileClasses(vault).effectiveClass(asked: asked, of: account)
        let window = account.flatMap { vault.windows[$0] }?.window(effectiveClass)
        let use = window?.beginUse()
        if let window, use == nil {
            throw window.state == .revoked ? .keyRevoked(owner) : vault.closure(of: account, owner)
        }
        defer { if let use { window?.end(use) } }
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()),
            owner: account.map { vault.identity(of: $0) } ?? vault.canonical(owner),
            sealing: account.map { _ in
                .init(
                    protectionClass: effectiveClass, askedClass: asked, keyID: .none,
                    isSparse: false, ephemeralKey: .zero)
            })
        let key = account.map { _ in SecretBytes.random(count: AESGCM.keyByteCount) }
        do throws(StoreError) { return try write(header, key) } catch {
            if error == .keyUnavailable { throw .windowClosed(owner) }
            throw .store(error)
        }
    }
}
