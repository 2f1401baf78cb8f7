// Headers with keys from the keyring.

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
        guard let sealing = header.sealing,
            let account = keyring.account(ofKey: sealing.keyID)
                ?? keyring.account(matching: header.owner)
        else { throw .keyUnavailable }
        let wrapper: FileKeyWrapper
        do throws(KeyringError) {
            wrapper = try keyring.wrapper(
                account: account, protectionClass: sealing.protectionClass)
        } catch { throw .keyUnavailable }
        var written = header
        written.sealing?.keyID = wrapper.keyID
        written.sealing?.ephemeralKey = wrapper.ephemeralKey
        try written.encode(into: bytes) { associatedData, wrapped throws(SealError) in
            try wrapper.wrap(key, associatedData: associatedData, into: wrapped)
        }
        return written
    }
}
