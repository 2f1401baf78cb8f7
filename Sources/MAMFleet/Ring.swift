// A policy that some machines have already, and its predecessor for the others, in one document.

package import MAMModel

/// The statement's member `ring`. Which of both policies is in force follows from the document and
/// the machine's id alone (docs/adr/0097-rings.md).
package struct Ring: Sendable, Hashable {
    /// The same in all steps and policies of one push, so that a larger share has the machines of a
    /// smaller one.
    package let rollout: Bytes16
    /// In percent of the machines.
    package let share: Int

    package static let shares: ClosedRange<Int64> = 1...99

    package init(_ rollout: Bytes16, share: Int) { (self.rollout, self.share) = (rollout, share) }

    /// Whether the machine has the new policy: of SHA-256 of both ids, in hexadecimal with a space
    /// between, the first eight bytes, big-endian, modulo 100 are below the share.
    package func includes(_ machine: MachineID) -> Bool {
        Bytes16(ofKey: Array("\(machine) \(rollout)".utf8)).high % 100 < UInt64(share)
    }

    init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "the ring")
        rollout = try members.id("rollout")
        share = Int(
            try members.take("share", "a number from 1 to 99") { json in
                json.integer.flatMap { Self.shares.contains($0) ? $0 : nil }
            })
        try members.requireEmpty()
    }

    var json: JSONValue {
        ["rollout": .string(rollout.description), "share": .integer(Int64(share))]
    }
}

/// The content of a policy with a ring: JSON with `policy` and `former`, in base64 each as Graph
/// exported it. An empty one is none.
package struct PolicyPair: Sendable, Equatable {
    package let policy: [UInt8]
    package let former: [UInt8]

    package init(_ policy: [UInt8], former: [UInt8]) {
        (self.policy, self.former) = (policy, former)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the policy with a ring")
        policy = try members.take("policy", "base64", \.bytes)
        former = try members.take("former", "base64", \.bytes)
        try members.requireEmpty()
    }

    package func encoded() -> [UInt8] {
        let json: JSONValue = [
            "policy": .string(base64(policy)), "former": .string(base64(former)),
        ]
        return json.encoded()
    }
}

extension SignedDocument {
    /// What is in force of it on a machine; empty: it is withdrawn there.
    package func content(on machine: MachineID) -> [UInt8] {
        guard let pair, let ring = statement.ring else { return content }
        return ring.includes(machine) ? pair.policy : pair.former
    }
}

extension Envelope {
    /// The policies in it, none where it withdraws one; signatures are not looked at.
    package func policies() throws(Refusal) -> [[UInt8]] {
        guard kind == .policy else { return [] }
        guard try statement().ring != nil else { return content.isEmpty ? [] : [content] }
        let pair = try PolicyPair(parsing: content)
        return [pair.policy, pair.former].filter { !$0.isEmpty }
    }
}
