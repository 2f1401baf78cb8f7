// Protecting data that is no file: buffers, strings, pipes.

internal import Glibc
internal import MAMCrypto
package import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMStore
package import MAMSystem

extension Vault {
    /// Writes all of the source as a stream of this owner: sealed for an account, plain behind a
    /// header for anybody else. Of an empty source nothing is written. Returns the plain bytes.
    ///
    /// It ends with a refusal when the account's window closes while it waits for either end.
    package func protectData(
        for owner: Identity, _ ends: any StreamEnds
    ) throws(VaultError) -> Int64 {
        let input = StreamInput(ends)
        let account = account(of: owner)
        var header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: canonical(owner), sealing: nil)
        guard let account else {
            try refuseWiped(owner)
            return try storing { () throws(StoreError) in
                try input.sendPlain(StreamHead(encoding: header))
            }
        }
        let protectionClass = effectiveClass(asked: nil, of: account)
        guard let window = windows(of: account)?.window(protectionClass), window.allowsUse else {
            throw closure(of: account, owner)
        }
        header.sealing = .init(
            protectionClass: protectionClass, keyID: .none, isSparse: false, ephemeralKey: .zero)
        let key = SecretBytes.random(count: AESGCM.keyByteCount)
        return try streaming(input, key, window, header) { cipher throws(StoreError) in
            try input.seal(sealer.seal(header, key: key), cipher)
        }
    }

    /// Writes the plain content of a protected source; one of which we know nothing, as it is, or
    /// without `passesPlain` not at all. What is written has verified, so that at damage it is what
    /// came before.
    ///
    /// `authorize` gets the header, before anything is written.
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
        guard let window = window(for: head.header), window.allowsOpen else {
            throw closure(of: head.header)
        }
        window.noteUse()
        let key: SecretBytes
        do throws(StoreError) {
            key = try head.withWrap { wrapped, associatedData throws(StoreError) in
                try fileKey(of: head.header, wrapped: wrapped, associatedData: associatedData)
            }
        } catch {
            if error == .keyUnavailable { throw closure(of: head.header) }
            throw .store(error)
        }
        let count = try streaming(input, key, window, head.header) {
            cipher throws(StoreError) in try input.open(head, cipher)
        }
        return UnprotectedData(byteCount: count, wasProtected: true)
    }

    /// The same of a descriptor: a file in the form of files is read at any place.
    package func unprotectData(
        of source: Descriptor, _ ends: any StreamEnds, passesPlain: Bool,
        authorize: (FileHeader) throws(VaultError) -> Void
    ) throws(VaultError) -> UnprotectedData {
        guard isFileForm(source) else {
            return try unprotectData(ends, passesPlain: passesPlain, authorize: authorize)
        }
        let count = try decrypt(source, into: .stream(ends), authorize: authorize)
        return UnprotectedData(byteCount: count, wasProtected: true)
    }

    /// Only of what stands at its start: from there on it would be read.
    private func isFileForm(_ source: Descriptor) -> Bool {
        withExtendedLifetime(source) {
            guard let found = try? status(of: source.raw), found.st_mode & S_IFMT == S_IFREG,
                lseek(source.raw, 0, SEEK_CUR) == 0,
                let facts = try? FileFacts(of: source, physicalSize: Int64(found.st_size))
            else { return false }
            return facts.header != nil
        }
    }

    /// Whose the data is: its header, of either form, is all that is read. Nil for data that is not
    /// protected.
    package func dataProtection(_ ends: any StreamEnds) throws(VaultError) -> ProtectionInfo? {
        let input = StreamInput(ends)
        return try storing { () throws(StoreError) -> FileHeader? in
            if let head = try input.readHead() { return head.header }
            return try input.fileHeader()
        }.map { protection(of: .protected($0)) }
    }

    /// Runs `body` with the key, which is gone when this returns, and ends it once the window
    /// closes.
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
                    : closure(of: account(of: header.owner), header.owner)
            }
            throw reported(error, owner: header.owner)
        }
    }
}

/// What came out of a stream.
package struct UnprotectedData: Sendable {
    package let byteCount: Int64
    /// False for data that passed through as it was, or did not.
    package let wasProtected: Bool
}
