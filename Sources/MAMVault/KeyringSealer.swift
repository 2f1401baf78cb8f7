// Seals headers with keys from the keyring.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMStore

/// Wraps a file key for the account that the header names: by its key id, else by its owner.
struct KeyringSealer: HeaderSealer {
    let keyring: Keyring

    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader {
        let wrapper = try wrapper(for: header)
        let written = header.wrapped(by: wrapper)
        try written.encode(into: bytes) { associatedData, wrapped throws(SealError) in
            try wrapper.wrap(key, associatedData: associatedData, into: wrapped)
        }
        return written
    }

    /// Seals a stream's head.
    func seal(_ header: FileHeader, key: SecretBytes) throws(StoreError) -> StreamHead {
        let wrapper = try wrapper(for: header)
        let written = header.wrapped(by: wrapper)
        return try StreamHead(encoding: written) { associatedData, wrapped throws(SealError) in
            try wrapper.wrap(key, associatedData: associatedData, into: wrapped)
        }
    }

    private func wrapper(for header: FileHeader) throws(StoreError) -> FileKeyWrapper {
        guard let sealing = header.sealing,
            let account = keyring.account(ofKey: sealing.keyID)
                ?? keyring.account(matching: header.owner)
        else { throw .keyUnavailable }
        do throws(KeyringError) {
            return try keyring.wrapper(
                account: account, protectionClass: sealing.protectionClass)
        } catch { throw .keyUnavailable }
    }
}

extension FileHeader {
    /// Adds the ids of the wrapping keys.
    fileprivate func wrapped(by wrapper: FileKeyWrapper) -> FileHeader {
        guard var sealing else { return self }
        // A current key replaced a retired one, whose wrap still exists in old copies.
        if sealing.keyID != .none, sealing.keyID != wrapper.keyID { sealing.isExposed = true }
        sealing.keyID = wrapper.keyID
        sealing.ephemeralKey = wrapper.ephemeralKey
        return FileHeader(fileID: fileID, owner: owner, sealing: sealing)
    }
}
