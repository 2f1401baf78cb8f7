// A document whose signatures were checked.

package import MAMModel

/// Exists only for an envelope that enough keys of the organisation's have signed.
package struct SignedDocument: Sendable, Equatable {
    package let envelope: Envelope
    package let statement: Statement
    /// Whether enough order keys have signed it, too: nothing else wipes.
    package let isOrdered: Bool
    /// The content of a policy with a ring.
    package let pair: PolicyPair?

    package var kind: DocumentKind { envelope.kind }
    package var content: [UInt8] { envelope.content }
    package var slot: Slot { Slot(kind, statement.audience, statement.name) }

    /// `root`: the root whose keys count, with its organisation. Serial, expiry and audience are
    /// not checked, since they depend on the machine: see ``MachineStanding``.
    package init(
        _ envelope: Envelope, by root: Root, of organization: Bytes16
    ) throws(Refusal) {
        let statement = try envelope.statement()
        guard statement.organization == organization else {
            throw .otherOrganization(statement.organization)
        }
        let role = envelope.kind.role
        let slot = Slot(envelope.kind, statement.audience, statement.name)
        let (holders, orderers) = (root.keys(signing: slot), root.keys(of: .order))
        // A carrier may have added false signatures without end.
        let verified = envelope.verified(by: holders.merging(orderers) { key, _ in key })
        let found = verified.signatures.count { holders[$0.key] != nil }
        // Content that nobody has signed is not parsed.
        guard found > 0 else {
            if let key = envelope.signers(among: root.keys(of: role)).first {
                throw .outOfScope(key, (root.scopes[key] ?? []).sorted())
            }
            throw .notSigned(role, found: 0, needed: root.threshold(of: role))
        }
        guard statement.isOf(envelope.content) else { throw .contentChanged }
        let needed = try Self.signaturesNeeded(envelope, by: root)
        guard found >= needed else { throw .notSigned(role, found: found, needed: needed) }
        (self.envelope, self.statement) = (verified, statement)
        pair = statement.ring == nil ? nil : try PolicyPair(parsing: envelope.content)
        isOrdered =
            verified.signatures.count { orderers[$0.key] != nil } >= root.threshold(of: .order)
    }

    /// How many keys must sign. An order that destroys nothing needs one signature.
    package static func signaturesNeeded(
        _ envelope: Envelope, by root: Root
    ) throws(Refusal) -> Int {
        let threshold = root.threshold(of: envelope.kind.role)
        guard envelope.kind == .order else { return threshold }
        return try Order(parsing: envelope.content).needsAll ? threshold : 1
    }

    /// A root that its own keys have signed: the one that a machine pins.
    package init(root envelope: Envelope) throws(Refusal) {
        guard envelope.kind == .root else { throw .malformed("it is no root") }
        let organization = try envelope.statement().organization
        try self.init(
            envelope, by: Root(parsing: envelope.content), of: organization)
        guard statement.audience == .all, statement.name == Self.rootName else {
            throw .malformed("a root is for all, and named \(Self.rootName)")
        }
    }

    package static let rootName = "root"
}

/// What newer documents replace: a kind, an audience and a name.
package struct Slot: Sendable, Hashable, CustomStringConvertible {
    package let kind: DocumentKind
    package let audience: Audience
    package let name: String

    package init(_ kind: DocumentKind, _ audience: Audience, _ name: String) {
        (self.kind, self.audience, self.name) = (kind, audience, name)
    }

    /// `KIND/AUDIENCE/NAME`; nothing in it has a slash.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = DocumentKind(rawValue: String(parts[0])),
            let audience = Audience(String(parts[1])), isName(parts[2])
        else { return nil }
        self.init(kind, audience, String(parts[2]))
    }

    package var description: String { "\(kind.rawValue)/\(audience)/\(name)" }
}
