// What a document says, for people and as JSON.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Who has signed a document, of those who count.
struct Signatures {
    let role: Role
    let needed: Int
    let signed: [Bytes16]
    /// Signatures of listed keys that are not these keys'.
    let wrong: [Bytes16]

    init(of envelope: Envelope, by root: Root) throws(Refusal) {
        role = envelope.kind.role
        needed = try SignedDocument.signaturesNeeded(envelope, by: root)
        let found = envelope.signers(among: root.keys)
        signed = found.intersection(root.keys(of: role).keys).sorted(by: isBefore)
        wrong = envelope.signatures.map(\.key).filter {
            root.keys[$0] != nil && !found.contains($0)
        }
    }

    var missing: Int { max(0, needed - signed.count) }

    fileprivate var words: Message {
        let keys: Message =
            signed.isEmpty
            ? "nobody" : .verbatim(signed.map(\.description).joined(separator: ", "))
        return missing == 0
            ? "\(keys): \(signed.count) of \(needed), enough"
            : "\(keys): \(signed.count) of \(needed), \(missing) more \(role.rawValue) keys must"
                + " sign"
    }
}

private func isBefore(_ one: Bytes16, _ other: Bytes16) -> Bool {
    one.description < other.description
}

extension FleetFile {
    /// Of a root its own keys count; `root` says whose do for all others.
    func signatures(_ root: Root?) -> Signatures? {
        let own = envelope.kind == .root ? try? Root(parsing: envelope.content) : root
        return own.flatMap { try? Signatures(of: envelope, by: $0) }
    }

    func words(_ root: Root?) -> String {
        var rows: [[Message]] = [
            ["file", .verbatim(path.shown)], ["kind", .verbatim(envelope.kind.rawValue)],
            ["organisation", .verbatim(statement.organization.description)],
            ["audience", .verbatim(statement.audience.description)],
            ["name", .verbatim(statement.name)], ["serial", "\(statement.serial)"],
            ["issued", .verbatim(rfc3339(statement.issued))],
            ["expires", statement.expires.map { .verbatim(rfc3339($0)) } ?? "never"],
        ]
        rows += contentRows
        rows.append(["fingerprint", .verbatim(envelope.fingerprint)])
        if let signatures = signatures(root) { rows.append(["signed by", signatures.words]) }
        return table(rows)
    }

    private var contentRows: [[Message]] {
        let content = envelope.content
        switch envelope.kind {
        case .policy:
            return [["content", content.isEmpty ? "withdrawn" : content.count.counted("byte")]]
        case .membership:
            guard let found = try? Membership(parsing: content) else { return [] }
            return [["groups", .verbatim(found.groups.sorted().joined(separator: ", "))]]
                + found.members.sorted { $0.key < $1.key }.map {
                    [
                        "members of \(shown($0.key))",
                        .verbatim(ByteString($0.value.joined(separator: ", ")).shown),
                    ]
                }
        case .order:
            guard let order = try? Order(parsing: content) else { return [] }
            return [["action", .verbatim(order.action.rawValue)]]
                + (order.account.map { [["account", .verbatim($0.description)]] } ?? [])
                + (order.withdrawn.map { [["withdraws", .verbatim($0.description)]] } ?? [])
        case .time:
            let heads = (try? SignedTime(parsing: content))?.heads ?? [:]
            return heads.map { "\($0.key) \($0.value)" }.sorted().map { ["head", .verbatim($0)] }
        case .root: return (try? Root(parsing: content)).map(rows) ?? []
        }
    }

    private func rows(of root: Root) -> [[Message]] {
        [["organisation's name", .verbatim(shown(root.name))]]
            + Role.allCases.flatMap { role in
                [["\(role.rawValue) threshold", "\(root.threshold(of: role))"]]
                    + root.keys(of: role).keys.sorted(by: isBefore).map {
                        ["\(role.rawValue) key", .verbatim($0.description)]
                    }
            }
    }

    /// `refusal`: why no machine accepts it.
    func json(_ root: Root?, refusal: String? = nil) -> JSONValue {
        let signatures = signatures(root)
        let order = envelope.kind == .order ? try? Order(parsing: envelope.content) : nil
        let own = envelope.kind == .root ? try? Root(parsing: envelope.content) : nil
        return [
            "path": .string(path.shown), "kind": .string(envelope.kind.rawValue),
            "organization": .string(statement.organization.description),
            "audience": .string(statement.audience.description), "name": .string(statement.name),
            "serial": .integer(statement.serial), "issued": .string(rfc3339(statement.issued)),
            "expires": JSONValue(statement.expires.map(rfc3339)),
            "fingerprint": .string(envelope.fingerprint),
            "withdrawn": .bool(envelope.kind == .policy && envelope.content.isEmpty),
            "action": JSONValue(order?.action.rawValue),
            "account": JSONValue(order?.account?.description),
            "withdraws": JSONValue(order?.withdrawn?.description), "root": own?.json ?? .null,
            "signedBy": signatures.map { .array($0.signed.map { .string($0.description) }) }
                ?? .null,
            "missing": signatures.map { JSONValue($0.missing) } ?? .null,
            "refusal": JSONValue(refusal),
        ]
    }
}

/// What a verb made: one document, or a list of them.
func report(_ files: [FleetFile], by root: Root?, _ invocation: Invocation, asList: Bool = false) {
    if invocation.isJSON {
        let values = files.map { $0.json(root) }
        printJSON(asList ? .array(values) : values.first ?? .null)
    } else {
        printOut(verbatim: files.map { $0.words(root) }.joined(separator: "\n\n"))
    }
}
