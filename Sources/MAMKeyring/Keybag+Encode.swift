// Encoding a keybag.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension Keybag {
    /// The whole record including its checksum. Its keys are wrapped, so it may be an array.
    package var encoded: [UInt8] {
        let count = Self.byteCount + others.counts.byteCount
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encodeAssociated(into: &raw)
        raw.store(wrappedKeys, at: KeybagOffset.wrappedKeys.lowerBound)
        others.counts.store(in: &raw, retiredAt: KeybagOffset.retiredCount)
        raw.store(others.bytes, at: KeybagOffset.others)
        raw.store(Checksum.crc32(raw.bytes, count: count - 4), at: count - 4)
        return bytes
    }

    /// Lends what a wrapped key's tag covers: bytes 0 to 751, the other keys, then the class.
    func withAssociatedData<Result, Failure: Error>(
        _ protectionClass: ProtectionClass,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = [UInt8](repeating: 0, count: KeybagOffset.wrappedKeys.lowerBound)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encodeAssociated(into: &raw)
        bytes += others.bytes + [protectionClass.rawValue]
        return try bytes.span.withUnsafeBytes(body)
    }

    /// Writes bytes 0 to 751.
    private func encodeAssociated(into bytes: inout MutableRawSpan) {
        bytes.zero(0..<KeybagOffset.wrappedKeys.lowerBound)
        bytes.store(keybagMagic, at: 0)
        bytes.store(others.counts.version, at: KeybagOffset.version)
        bytes.store(UInt8(others.joined.count), at: KeybagOffset.joinedCount)
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
