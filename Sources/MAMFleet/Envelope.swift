// A document with its signatures, as a file and as a message.

package import MAMCrypto
package import MAMModel

/// A DSSE envelope (github.com/secure-systems-lab/dsse, version 1.0): JSON with `payloadType`,
/// `payload` (base64 of the statement) and `signatures`; and `content` (base64), which the
/// statement has the digest of. Signatures are over bytes, never over parsed JSON.
package struct Envelope: Sendable, Equatable {
    package let kind: DocumentKind
    /// The statement, exactly as it was signed.
    package let payload: [UInt8]
    package let content: [UInt8]
    package private(set) var signatures: [Signature]

    package struct Signature: Sendable, Equatable {
        /// The id of the key that signed: see ``Bytes16/init(ofKey:)``.
        package let key: Bytes16
        package let bytes: [UInt8]
    }

    /// The longest file that is read as an envelope.
    package static let maximumByteCount = 1 << 20
    private static let maximumSignatureCount = 64
    private static let maximumValueCount = 1000

    package init(_ kind: DocumentKind, _ statement: Statement, content: [UInt8]) {
        self.kind = kind
        payload = statement.json.encoded()
        self.content = content
        signatures = []
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else { throw .malformed("it is too long") }
        let json = try JSONValue(
            bytes, atMost: Self.maximumValueCount, orElse: "it is no JSON")
        guard Self.isEnvelope(json) else { throw .malformed("it is no signed document") }
        var members = Members(json, of: "the envelope")
        kind = try members.take("payloadType", "a type of this version of mamd") {
            $0.text.flatMap(DocumentKind.init(payloadType:))
        }
        payload = try members.take("payload", "base64", \.bytes)
        content = try members.take("content", "base64", \.bytes)
        let found = try members.take("signatures", "a list") { $0.array }
        try members.requireEmpty()
        guard found.count <= Self.maximumSignatureCount else {
            throw .malformed("it has too many signatures")
        }
        signatures = []
        for json in found { signatures.append(try Signature(json)) }
    }

    /// Whether JSON looks like an envelope, which may still be malformed.
    package static func isEnvelope(_ json: JSONValue) -> Bool {
        json.object?["payloadType"] != nil && json.object?["payload"] != nil
    }

    package var json: JSONValue {
        [
            "payloadType": .string(kind.payloadType), "payload": .string(base64(payload)),
            "content": .string(base64(content)), "signatures": .array(signatures.map(\.json)),
        ]
    }

    package func encoded() -> [UInt8] { json.encoded(pretty: true) + [0x0A] }

    package func statement() throws(Refusal) -> Statement {
        let json = try JSONValue(
            payload, atMost: Self.maximumValueCount, orElse: "its payload is no JSON")
        return try Statement(json, kind: kind)
    }

    /// The statement, if it is the organisation's, and about this content. Whether anybody has
    /// signed it is not checked.
    package func statement(of organization: Bytes16) throws(Refusal) -> Statement {
        let statement = try statement()
        guard statement.organization == organization else {
            throw .otherOrganization(statement.organization)
        }
        guard statement.isOf(content) else { throw .contentChanged }
        return statement
    }

    // MARK: Signatures

    /// DSSE's pre-authentication encoding: `DSSEv1 LENGTH TYPE LENGTH PAYLOAD`.
    package var signedBytes: [UInt8] { Self.signedBytes(of: kind.payloadType, payload) }

    static func signedBytes(of type: String, _ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
    }

    /// Identifies the statement, as people compare it: SHA-256 of ``signedBytes``.
    package var fingerprint: String { hexadecimal(SHA256.digest(of: signedBytes)) }

    /// Adds or replaces the key's signature. False if the seed is erased.
    package mutating func sign(with seed: SecretBytes) -> Bool {
        guard let signature = Signature(of: signedBytes, with: seed) else { return false }
        signatures.removeAll { $0.key == signature.key }
        signatures.append(signature)
        return true
    }

    /// This envelope with its valid signatures alone, one for each of the keys. Invalid ones may
    /// stand before them, under the same id.
    func verified(by keys: [Bytes16: [UInt8]]) -> Envelope {
        let message = signedBytes
        var seen: Set<Bytes16> = []
        var envelope = self
        envelope.signatures = signatures.filter { signature in
            guard let key = keys[signature.key],
                Ed25519.isSigned(message, with: signature.bytes, by: key)
            else { return false }
            return seen.insert(signature.key).inserted
        }
        return envelope
    }

    /// This envelope with the other's further signatures of the same payload, as many as are read
    /// again; nil if it has none.
    func adding(signaturesOf other: Envelope) -> Envelope? {
        let known = Set(signatures.map(\.key))
        let new = other.signatures.filter { !known.contains($0.key) }
            .prefix(Self.maximumSignatureCount - signatures.count)
        guard !new.isEmpty else { return nil }
        var envelope = self
        envelope.signatures += new
        return envelope
    }

    /// Which of the keys have signed.
    package func signers(among keys: [Bytes16: [UInt8]]) -> Set<Bytes16> {
        Set(verified(by: keys).signatures.map(\.key))
    }
}

extension Envelope.Signature {
    /// Nil if the seed is erased.
    init?(of message: [UInt8], with seed: SecretBytes) {
        guard let publicKey = Ed25519.publicKey(ofSeed: seed),
            let bytes = Ed25519.sign(message, seed: seed)
        else { return nil }
        self.init(key: Bytes16(ofKey: publicKey), bytes: bytes)
    }

    init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "a signature")
        key = try members.id("keyid")
        bytes = try members.take("sig", "base64 of 64 bytes") {
            $0.bytes.flatMap { $0.count == Ed25519.signatureByteCount ? $0 : nil }
        }
        try members.requireEmpty()
    }

    var json: JSONValue {
        ["keyid": .string(key.description), "sig": .string(base64(bytes))]
    }
}
