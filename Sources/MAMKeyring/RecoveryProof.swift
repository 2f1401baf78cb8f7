// A proof that a recovery record opens the keys that are in use, for whoever opens it elsewhere.

internal import MAMCrypto
internal import MAMFormat
package import MAMModel

/// Anyone can seal anything to a recovery key, which is public. The proof shows that the record's
/// class keys are those that this device had loaded: docs/FORMAT.md, section 7.
package enum RecoveryProof {
    private static let info = "mamd recovery proof v1"
    private static let entryByteCount = 1 + KeyedTag.byteCount

    /// A tag for each class whose key is loaded; nil without D's.
    static func make(
        of record: KeyExport, for organization: Bytes16, _ key: (ProtectionClass) -> SecretBytes?
    ) -> [UInt8]? {
        guard key(.none) != nil else { return nil }
        var proof: [UInt8] = []
        for protectionClass in ProtectionClass.allCases {
            guard let key = key(protectionClass),
                let tag = tag(protectionClass, of: record, for: organization, key)
            else { continue }
            proof += [protectionClass.rawValue] + tag
        }
        return proof
    }

    /// The classes of which the proof shows that the opened record has the key in use; class D's is
    /// always among them. Nil for a false proof: of another record, account or organisation, or by
    /// other keys.
    package static func provenClasses(
        _ proof: [UInt8], of record: KeyExport, opened: ExportedKeys, account: AccountID,
        organization: Bytes16
    ) -> [ProtectionClass]? {
        guard record.accountID == account, proof.count.isMultiple(of: entryByteCount) else {
            return nil
        }
        var proven: [ProtectionClass] = []
        for start in stride(from: 0, to: proof.count, by: entryByteCount) {
            let found = proof[(start + 1)..<(start + entryByteCount)]
            guard let protectionClass = ProtectionClass(rawValue: proof[start]),
                proven.last.map({ $0.rawValue < protectionClass.rawValue }) ?? true,
                let key = tagKey(opened.keys[protectionClass], account),
                KeyedTag.isRight(
                    found, of: message(protectionClass, record, organization), key: key)
            else { return nil }
            proven.append(protectionClass)
        }
        return proven.contains(.none) ? proven : nil
    }

    private static func tag(
        _ protectionClass: ProtectionClass, of record: KeyExport, for organization: Bytes16,
        _ classKey: SecretBytes
    ) -> [UInt8]? {
        tagKey(classKey, record.accountID).flatMap {
            KeyedTag.make(of: message(protectionClass, record, organization), key: $0)
        }
    }

    /// Nil if the key is erased.
    private static func tagKey(_ classKey: SecretBytes, _ account: AccountID) -> SecretBytes? {
        try? Derivation.hkdf(input: classKey, salt: account.bytes, info: info)
    }

    private static func message(
        _ protectionClass: ProtectionClass, _ record: KeyExport, _ organization: Bytes16
    ) -> [UInt8] {
        Array("\(organization)\(record.accountID.bytes)".utf8) + [protectionClass.rawValue]
            + SHA256.digest(of: record.bytes)
    }
}
