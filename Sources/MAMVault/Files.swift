// Which files may be opened, created and begun anew, and by whom.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
package import MAMStore
package import MAMSystem

/// Opens files behind their windows, and begins new ones.
package struct Files: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

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
        let file = VaultFile(stored, in: vault)
        vault.openFiles.add(file)
        return file
    }

    /// Lets an existing file be opened, and fetches its key.
    ///
    /// One that does not end where its last block says so is damaged; but shown as it is where a
    /// crash or a failed call may have left it so.
    package func admit(_ file: VaultFile) throws(VaultError) {
        try vault.metrics.counting(.opens) { () throws(VaultError) in try letIn(file) }
    }

    private func letIn(_ file: VaultFile) throws(VaultError) {
        guard let window = file.window else { return }
        window.noteUse()
        guard window.allowsOpen else { throw vault.closure(of: file.header) }
        if file.stored.needsKey { try provideKey(to: file.stored) }
        do throws(StoreError) { try file.stored.proveEnd() } catch {
            guard case .wrongEnd = error, let header = file.header,
                vault.uncertainEnds.contains(header)
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

    /// Opens the key wrap of a header.
    func fileKey(
        of header: FileHeader, wrapped: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer
    ) throws(StoreError) -> SecretBytes {
        guard let sealing = header.sealing else { throw .keyUnavailable }
        do throws(KeyringError) {
            return try vault.keyring.unwrap(
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

    /// Refuses the content of a foreign file, where the settings want that. Its truncation needs
    /// no leave: that makes it a new file.
    package func checkForeign(_ file: VaultFile) throws(VaultError) {
        guard vault.settings.foreignFiles == .refuse, case .foreign = file.facts else { return }
        throw .refused("it has no protection header, and the setting ForeignFiles refuses that")
    }
}
