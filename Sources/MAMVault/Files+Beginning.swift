// Begins files: new ones, and existing ones that are overwritten.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
internal import MAMSystem

extension Files {
    /// Refuses to create a file that could not be written to.
    package func checkCreation(
        by owner: Identity, asking asked: ProtectionClass?
    ) throws(VaultError) {
        guard let account = vault.account(of: owner) else { return try refuseWiped(owner) }
        let effective = FileClasses(vault).effectiveClass(asked: asked, of: account)
        guard let window = vault.windows(of: account)?.window(effective), window.allowsUse else {
            throw vault.closure(of: account, owner)
        }
    }

    /// A file created for an account that is being wiped would have been sealed: it must not become
    /// plain.
    func refuseWiped(_ owner: Identity) throws(VaultError) {
        if vault.keyring.wipes.first(matching: owner) != nil { throw .keyRevoked(owner) }
    }

    /// Makes a file that is empty, or being truncated by its opener, a new one of this owner's.
    ///
    /// `origin`: where it comes from. `asked`: the class that its directory requests.
    package func begin(
        _ file: VaultFile, as owner: Identity, from origin: Origin = .workspace,
        asking asked: ProtectionClass?
    ) throws(VaultError) {
        try vault.metrics.counting(.creations) { () throws(VaultError) in
            try makeAnew(file, as: owner, from: origin, asking: asked)
        }
    }

    /// Where a file that is being begun is.
    package enum Origin: Sendable {
        /// An existing file in the workspace, possibly with content.
        case workspace
        /// A file in the workspace from ``newFile(_:)``.
        case new
        /// Outside the workspace, where other programs write.
        case outside
    }

    private func makeAnew(
        _ file: VaultFile, as owner: Identity, from origin: Origin, asking asked: ProtectionClass?
    ) throws(VaultError) {
        if let window = file.window, !window.allowsOpen { throw vault.closure(of: file.header) }
        let account = vault.account(of: owner)
        if account == nil { try refuseWiped(owner) }
        let effectiveClass = FileClasses(vault).effectiveClass(asked: asked, of: account)
        let window = account.flatMap { vault.windows(of: $0) }?.window(effectiveClass)
        if let window, !window.beginUse() {
            throw window.state == .revoked ? .keyRevoked(owner) : vault.closure(of: account, owner)
        }
        defer { window?.endUse() }
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()),
            owner: account.map { vault.identity(of: $0) } ?? vault.canonical(owner),
            sealing: account.map { _ in
                .init(
                    protectionClass: effectiveClass, askedClass: asked, keyID: .none,
                    isSparse: false, ephemeralKey: .zero)
            })
        let key = account.map { _ in SecretBytes.random(count: AESGCM.keyByteCount) }
        do throws(StoreError) {
            if origin == .new {
                try file.stored.begin(as: header, key: key, sealer: vault.sealer)
            } else {
                try file.stored.startOver(
                    as: header, key: key, isNoted: origin == .workspace, sealer: vault.sealer)
            }
        } catch {
            if error == .keyUnavailable { throw .windowClosed(owner) }
            throw .store(error)
        }
        file.headerChanged()
    }
}
