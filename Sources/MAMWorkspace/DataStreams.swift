// Protects data other than files: buffers, strings, pipes.

internal import MAMCrypto
package import MAMFormat
package import MAMModel
package import MAMStore
internal import MAMSystem
package import MAMVault

/// The result of reading a stream.
package struct UnprotectedData: Sendable {
    package let byteCount: Int64
    /// False for unprotected data, whether passed through or not.
    package let wasProtected: Bool
}

/// Protects data other than files.
package struct DataStreams: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Writes the source as a stream of this owner: sealed for an account, plain behind a header
    /// for other owners. An empty source produces nothing. Returns the number of plain bytes.
    ///
    /// Fails if the account's window closes while it waits for either end.
    package func protectData(
        for owner: Identity, _ ends: any StreamEnds
    ) throws(VaultError) -> Int64 {
        let input = StreamInput(ends)
        let account = vault.account(of: owner)
        var header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: vault.canonical(owner), sealing: nil)
        guard let account else {
            try Files(vault).refuseWiped(owner)
            return try storing { () throws(StoreError) in
                try input.sendPlain(StreamHead(encoding: header))
            }
        }
        let protectionClass = FileClasses(vault).effectiveClass(asked: nil, of: account)
        guard let window = vault.windows[account]?.window(protectionClass), window.allowsUse
        else {
            throw vault.closure(of: account, owner)
        }
        header.sealing = .init(
            protectionClass: protectionClass, keyID: .none, isSparse: false, ephemeralKey: .zero)
        let key = SecretBytes.random(count: AESGCM.keyByteCount)
        return try streaming(input, key, window, header) { cipher throws(StoreError) in
            try input.seal(Files(vault).head(sealing: header, key: key), cipher)
        }
    }

    /// Writes the plain content of a protected source. An unprotected one is copied unchanged with
    /// `passesPlain`, else not at all. Writes only verified bytes: before damage, everything up to
    /// it.
    ///
    /// `authorize` gets the header before anything is written.
    package func unprotectData(
        _ ends: any StreamEnds, passesPlain: Bool = true,
        authorize: (FileHeader) throws(VaultError) -> Void = { _ throws(VaultError) in }
    ) throws(VaultError) -> UnprotectedData {
        let input = StreamInput(ends)
        let found = try storing { () throws(StoreError) in try input.readHead() }
        if found == nil, try storing({ () throws(StoreError) in try input.fileHeader() }) != nil {
            throw .invalid(
                "it is a protected file, not read from front to back",
                next: "mamctl decrypt FILE")
        }
        guard found != nil || passesPlain else {
            return UnprotectedData(byteCount: 0, wasProtected: false)
        }
        guard let head = found, head.header.isManaged else {
            let count = try storing { () throws(StoreError) in try input.passThrough() }
            return UnprotectedData(byteCount: count, wasProtected: found != nil)
        }
        try authorize(head.header)
        guard let window = vault.window(for: head.header), window.allowsOpen else {
            throw vault.closure(of: head.header)
        }
        window.noteUse()
        let key: SecretBytes
        do throws(StoreError) {
            key = try head.withWrap { wrapped, associatedData throws(StoreError) in
                try Files(vault).fileKey(
                    of: head.header, wrapped: wrapped, associatedData: associatedData)
            }
        } catch {
            if error == .keyUnavailable { throw vault.closure(of: head.header) }
            throw .store(error)
        }
        let count = try streaming(input, key, window, head.header) {
            cipher throws(StoreError) in try input.open(head, cipher)
        }
        return UnprotectedData(byteCount: count, wasProtected: true)
    }

    /// Reads only the header, of either form. Nil for unprotected data.
    package func dataProtection(_ ends: any StreamEnds) throws(VaultError) -> FileProtection? {
        let input = StreamInput(ends)
        return try storing { () throws(StoreError) -> FileHeader? in
            if let head = try input.readHead() { return head.header }
            return try input.fileHeader()
        }.map { Protections(vault).protection(of: .protected($0)) }
    }

    /// Runs `body` with the key, which is erased on return, and aborts it once the window closes.
    private func streaming(
        _ input: StreamInput, _ key: SecretBytes, _ window: AccessWindow, _ header: FileHeader,
        _ body: (BlockCipher) throws(StoreError) -> Int64
    ) throws(VaultError) -> Int64 {
        let cipher = BlockCipher(key: key)
        defer { cipher.revoke() }
        input.isWanted = { window.allowsUse }
        do throws(StoreError) { return try body(cipher) } catch {
            if error == .keyUnavailable {
                throw window.state == .revoked
                    ? .keyRevoked(header.owner)
                    : vault.closure(of: vault.account(of: header.owner), header.owner)
            }
            throw FileAudit(vault).reported(error, owner: header.owner)
        }
    }
}
