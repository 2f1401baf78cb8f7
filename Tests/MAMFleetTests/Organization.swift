// An organisation with keys, for tests.

import MAMCrypto
import MAMFleet
import MAMModel

struct Key {
    let seed = SecretBytes.random(count: 32)
    var publicKey: [UInt8] { Ed25519.publicKey(ofSeed: seed) ?? [] }
    var id: Bytes16 { Bytes16(ofKey: publicKey) }
}

/// Two root keys of which both must sign, one policy key, three order keys of which two must sign,
/// and one time key.
struct Organization {
    static let start: Int64 = 1_790_000_000
    static let day: Int64 = 86_400
    static let machine = Bytes16(high: 1, low: 2)

    var id = Bytes16(high: 7, low: 7)
    var roots = [Key(), Key()]
    var policies = [Key()]
    var orders = [Key(), Key(), Key()]
    var times = [Key()]

    func root(serial: Int64 = 1, signedBy signers: [Key]? = nil) throws -> Envelope {
        let all = roots + policies + orders + times
        let root = try Root(
            name: "Contoso", keys: all.map(\.publicKey),
            roles: [
                .root: .init(keys: Set(roots.map(\.id)), threshold: 2),
                .policy: .init(keys: Set(policies.map(\.id)), threshold: 1),
                .order: .init(keys: Set(orders.map(\.id)), threshold: 2),
                .time: .init(keys: Set(times.map(\.id)), threshold: 1),
            ])
        return envelope(
            .root, root.json.encoded(), name: "root", serial: serial, days: nil,
            by: signers ?? roots)
    }

    func standing() throws -> MachineStanding {
        try MachineStanding(pinning: root(), machine: Self.machine)
    }

    func envelope(
        _ kind: DocumentKind, _ content: [UInt8], for audience: Audience = .all, name: String,
        serial: Int64 = 1, issued: Int64 = Self.start, days: Int64? = 30, by signers: [Key]
    ) -> Envelope {
        let statement = Statement(
            of: content, organization: id, audience: audience, name: name, serial: serial,
            issued: issued, expires: days.map { issued + $0 * Self.day })
        var envelope = Envelope(kind, statement, content: content)
        for key in signers { _ = envelope.sign(with: key.seed) }
        return envelope
    }

    func policy(
        _ text: String = #"{"pinRequired": true}"#, for audience: Audience = .all,
        name: String = "level2.json", serial: Int64 = 1, days: Int64 = 30, by signers: [Key]? = nil
    ) -> Envelope {
        envelope(
            .policy, Array(text.utf8), for: audience, name: name, serial: serial, days: days,
            by: signers ?? policies)
    }

    func order(
        _ order: Order, for audience: Audience = .machine(machine), nonce: Int = 1,
        days: Int64 = 90, by signers: [Key]? = nil
    ) -> Envelope {
        envelope(
            .order, order.json.encoded(), for: audience,
            name: Bytes16(high: 9, low: UInt64(nonce)).description, days: days,
            by: signers ?? Array(orders.prefix(2)))
    }

    /// As mamctl signs it: by a nonce of its own.
    func ownOrder(
        _ order: Order, for audience: Audience = .machine(machine), days: Int64 = 90,
        by signers: [Key]? = nil
    ) -> Envelope {
        var envelope = Envelope(
            order, for: audience, of: id, issued: Self.start,
            expires: Self.start + days * Self.day)
        for key in signers ?? Array(orders.prefix(2)) { _ = envelope.sign(with: key.seed) }
        return envelope
    }

    func time(
        at issued: Int64, heads: [Slot: Int64] = [:], by signers: [Key]? = nil
    ) -> Envelope {
        envelope(
            .time, SignedTime(heads: heads).json.encoded(), name: "time", serial: issued,
            issued: issued, days: 2, by: signers ?? times)
    }
}
