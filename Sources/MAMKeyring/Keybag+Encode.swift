// From fields to bytes.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension Keybag {
    /// Writes a whole record of 1024 bytes, checksum included.
    package func encode(into bytes: inout MutableRawSpan) {
        encodeAssociated(into: &bytes)
        for (index, byte) in wrappedKeys.enumerated() {
            bytes.store(byte, at: KeybagOffset.wrappedKeys.lowerBound + index)
        }
        bytes.zero(KeybagOffset.wrappedKeys.upperBound..<KeybagOffset.checksum)
        let sum = Checksum.crc32(bytes.bytes, count: KeybagOffset.checksum)
        bytes.store(sum, at: KeybagOffset.checksum)
    }

    /// The record as it lies on disk. Its keys are wrapped, so it may be in an array.
    package var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encode(into: &raw)
        return bytes
    }

    /// Lends what a wrapped key's tag covers: bytes 0 to 751, then the class.
    func withAssociatedData<Result, Failure: Error>(
        _ protectionClass: ProtectionClass,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes: InlineArray<753, UInt8> = .init(repeating: 0)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encodeAssociated(into: &raw)
        raw.store(protectionClass.rawValue, at: KeybagOffset.wrappedKeys.lowerBound)
        return try withUnsafeBytes(of: &bytes, body)
    }

    /// Writes bytes 0 to 751.
    private func encodeAssociated(into bytes: inout MutableRawSpan) {
        bytes.zero(0..<KeybagOffset.wrappedKeys.lowerBound)
        for (offset, byte) in keybagMagic.enumerated() { bytes.store(byte, at: offset) }
        bytes.store(Self.version, at: KeybagOffset.version)
        bytes.store(uid, at: KeybagOffset.uid)
        accountID.bytes.write(to: &bytes, at: KeybagOffset.accountID)
        bytes.store(generation, at: KeybagOffset.generation)
        bytes.store(registrationTime, at: KeybagOffset.registrationTime)
        identity.encode(into: &bytes)
        publicKeyB.write(to: &bytes, at: KeybagOffset.publicKeyB)
        keyIDs.encode(into: &bytes)
        guard let passphrase else { return }
        bytes.store(passphraseFlag, at: KeybagOffset.flags)
        bytes.store(passphrase.cost.passes, at: KeybagOffset.passes)
        bytes.store(passphrase.cost.memoryByteCount, at: KeybagOffset.memory)
        passphrase.salt.write(to: &bytes, at: KeybagOffset.salt)
    }
}
