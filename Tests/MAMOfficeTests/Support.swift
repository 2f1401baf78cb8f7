import MAMCrypto
import MAMFleet
import MAMModel
import MAMSystem
import TestSupport
import Testing

@testable import MAMOffice

/// An organisation with one key for all roles but the second order key, in a directory.
final class TestOrganization {
    private let place: TemporaryDirectory
    let directory: OrganizationDirectory
    let id = Bytes16(high: 7, low: 7)
    private let seed = SecretBytes.random(count: Ed25519.seedByteCount)
    private let other = SecretBytes.random(count: Ed25519.seedByteCount)
    static let now: Int64 = 1_780_000_000

    init() throws {
        place = try TemporaryDirectory()
        directory = OrganizationDirectory(ByteString(place.path))
        let keys = [seed, other].compactMap { Ed25519.publicKey(ofSeed: $0) }
        let ids = keys.map { Bytes16(ofKey: $0) }
        let one = Root.Holders(keys: [ids[0]], threshold: 1)
        let root = try Root(
            name: "Contoso", keys: keys,
            roles: [
                .root: one, .policy: one, .time: one,
                .order: Root.Holders(keys: Set(ids), threshold: 2),
            ])
        try put(
            OrganizationDirectory.root,
            envelope(.root, root.json.encoded(), name: "root", expires: nil))
    }

    func put(_ name: String, _ envelope: Envelope) throws {
        try directory.write(name, envelope.encoded())
    }

    func envelope(
        _ kind: DocumentKind, _ content: [UInt8], for audience: Audience = .all,
        name: String = "a.json", serial: Int64 = 1, expires: Int64? = now + 90 * 86_400,
        signers: Int = 1
    ) -> Envelope {
        var envelope = Envelope(
            kind,
            Statement(
                of: content, organization: id, audience: audience, name: name, serial: serial,
                issued: Self.now, expires: expires), content: content)
        for key in [seed, other].prefix(signers) {
            let isSigned = envelope.sign(with: key)
            #expect(isSigned)
        }
        return envelope
    }

    func policy(
        _ text: String = "{}", for audience: Audience = .all, name: String = "a.json",
        serial: Int64 = 1, signers: Int = 1
    ) -> Envelope {
        envelope(
            .policy, Array(text.utf8), for: audience, name: name, serial: serial,
            signers: signers)
    }
}
