// What an organisation signs, and for whom.

internal import MAMCrypto
package import MAMModel

/// Each kind is signed under a type of its own, so that nothing passes for what is of another kind.
package protocol SignedKind: RawRepresentable<String>, Sendable, CaseIterable {}

extension SignedKind {
    package var payloadType: String { "application/vnd.mamd.\(rawValue)+json" }

    package init?(payloadType: String) {
        guard let kind = Self.allCases.first(where: { $0.payloadType == payloadType }) else {
            return nil
        }
        self = kind
    }
}

package enum DocumentKind: String, SignedKind {
    /// The keys that may sign.
    case root
    /// A policy document of Graph's, as it was exported.
    case policy
    /// The groups of a machine, and the accounts of groups.
    case membership
    /// What is asked of the settings of machines.
    case settings
    /// Something to be done once: a wipe, a lock.
    case order
    /// The time, and which documents there are.
    case time

    /// The role whose keys must sign a document of this kind.
    package var role: Role {
        switch self {
        case .root: .root
        case .policy, .membership, .settings: .policy
        case .order: .order
        case .time: .time
        }
    }

    /// Whether less is restricted without it: a root that takes its key away opens nothing.
    var restricts: Bool { self == .policy || self == .settings }

    /// Those that stay, of the organisation's directory `signed`.
    package static let lasting: Set<DocumentKind> = [.policy, .membership, .settings]
}

/// What a key may sign.
package enum Role: String, Sendable, CaseIterable {
    case root, policy, order, time
}

/// A machine's id: the first 16 bytes of the SHA-256 of its public key.
package typealias MachineID = Bytes16

extension Bytes16 {
    /// The id of a public key: the first 16 bytes of its SHA-256.
    package init(ofKey publicKey: [UInt8]) {
        let digest = SHA256.digest(of: publicKey)
        self.init(reading: digest.span.bytes, at: 0)
    }
}

/// Whom a document is for: `all`, `group:NAME` or `machine:ID`.
package enum Audience: Sendable, Hashable, CustomStringConvertible {
    case all
    case group(String)
    case machine(MachineID)

    package init?(_ text: String) {
        if text == "all" {
            self = .all
        } else if text.hasPrefix("group:"), isName(text.dropFirst(6)) {
            self = .group(String(text.dropFirst(6)))
        } else if text.hasPrefix("machine:"), let id = MachineID(hex: String(text.dropFirst(8))) {
            self = .machine(id)
        } else {
            return nil
        }
        guard description == text else { return nil }
    }

    package var description: String {
        switch self {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .machine(let id): "machine:\(id)"
        }
    }

    /// Whether it has a machine in it that is in these groups.
    package func includes(
        _ machine: MachineID, in groups: @autoclosure () -> Set<String>
    ) -> Bool {
        switch self {
        case .all: true
        case .group(let name): groups().contains(name)
        case .machine(let id): id == machine
        }
    }
}

/// Names of documents and groups become names of files and subjects: 1 to 100 letters, digits,
/// `.`, `_` and `-`, and no `.` in front.
package func isName(_ text: some StringProtocol) -> Bool {
    (1...100).contains(text.utf8.count) && !text.hasPrefix(".")
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
}
