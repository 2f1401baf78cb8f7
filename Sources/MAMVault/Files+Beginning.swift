// Begins files: new ones, and existing ones that are overwritten.

internal import MAMAudit
internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
package import MAMSystem

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
