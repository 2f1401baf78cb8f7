// What a machine asks for when somebody has forgotten a passphrase, and what answers it.

internal import MAMCrypto
package import MAMModel

/// Part of an account's status, and so signed with the machine's key.
package struct ResetRequest: Sendable, Equatable {
    /// X25519, of this request alone.
    package let publicKey: [UInt8]
    /// Names the account's current keys, which an answer must have.
    package let keySet: Bytes16
    /// In seconds since 1970.
    package let ends: Int64

    package init(publicKey: [UInt8], keySet: Bytes16, ends: Int64) {
        (self.publicKey, self.keySet, self.ends) = (publicKey, keySet, ends)
    }

    var json: JSONValue {
        [
            "publicKey": .string(base64(publicKey)), "keySet": .string(keySet.description),
            "ends": .string(rfc3339(ends)),
        ]
    }

    init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "an account's request")
        publicKey = try members.publicKey("publicKey")
        keySet = try members.id("keySet")
        ends = try members.time("ends")
    }
}

/// What the person reads to the help desk: it shows that the request is that machine's, for that
/// account. 60 bits, which nobody finds another key for within three days; it is no secret.
package struct ResetCode: Sendable, Equatable, CustomStringConvertible {
    private let digits: String
    private static let digitCount = 12
    private static let groupCount = 4

    package init(
        _ publicKey: [UInt8], of account: Bytes16, on machine: MachineID, in organization: Bytes16
    ) {
        let whole = "mamd reset code v1 \(organization) \(machine) \(account) "
        let digest = SHA256.digest(of: Array(whole.utf8) + publicKey)
        digits = String(Base32.text(digest).prefix(Self.digitCount))
    }

    /// Three groups of letters and digits, without 0, 1, 8 and 9.
    package var description: String {
        let all = Array(digits)
        return stride(from: 0, to: all.count, by: Self.groupCount).map {
            String(all[$0..<$0 + Self.groupCount])
        }.joined(separator: "-")
    }

    /// Whatever the case, with or without what stands between the groups.
    package func isTyped(_ text: String) -> Bool {
        text.uppercased().filter { $0 != "-" && $0 != " " } == digits
    }
}

extension Order {
    /// What an order to reset a passphrase brings.
    package struct Reset: Sendable, Equatable {
        /// Of the request that it answers.
        package let publicKey: [UInt8]
        /// A recovery record of the account, sealed to that key: docs/FORMAT.md, section 7.
        package let record: [UInt8]

        static let maximumRecordByteCount = 256 << 10

        package init(publicKey: [UInt8], record: [UInt8]) {
            (self.publicKey, self.record) = (publicKey, record)
        }

        init(_ members: inout Members) throws(Refusal) {
            publicKey = try members.publicKey("request")
            record = try members.take("record", "base64 of a recovery record") {
                $0.bytes.flatMap { (1...Self.maximumRecordByteCount).contains($0.count) ? $0 : nil }
            }
        }

        var members: [String: JSONValue] {
            ["request": .string(base64(publicKey)), "record": .string(base64(record))]
        }
    }
}

extension Members {
    fileprivate mutating func publicKey(_ name: String) throws(Refusal) -> [UInt8] {
        try take(name, "base64 of 32 bytes") { $0.bytes.flatMap { $0.count == 32 ? $0 : nil } }
    }
}
