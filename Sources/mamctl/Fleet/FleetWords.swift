// What a document says, for people and as JSON.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Who has signed a document, of those who count.
struct Signatures {
    let role: Role
    let needed: Int
    let signed: [Bytes16]
    /// Signatures of listed keys that are not these keys'.
    let wrong: [Bytes16]
    /// The order keys that have signed a policy or a membership, and how many must before it wipes.
    let ordering: [Bytes16]
    let orderingNeeded: Int

    init(of envelope: Envelope, by root: Root) throws(Refusal) {
        role = envelope.kind.role
        needed = try SignedDocument.signaturesNeeded(envelope, by: root)
        let found = envelope.signers(among: root.keys)
        let statement = try envelope.statement()
        let slot = Slot(envelope.kind, statement.audience, statement.name)
        signed = found.intersection(root.keys(of: role).keys)
            .filter { root.covers(slot, by: $0) }.sorted(by: isBefore)
        wrong = envelope.signatures.map(\.key).filter {
            root.keys[$0] != nil && !found.contains($0)
        }
        ordering =
            role == .policy
            ? found.intersection(root.keys(of: .order).keys).sorted(by: isBefore) : []
        orderingNeeded = root.threshold(of: .order)
    }

    var missing: Int { max(0, needed - signed.count) }
    var orderingMissing: Int { max(0, orderingNeeded - ordering.count) }

    fileprivate var words: Message {
        missing == 0
            ? "\(list(signed)): \(signed.count) of \(needed), enough"
            : Message(
                missing,
                one: "\(list(signed)): \(signed.count) of \(needed), \(missing) more"
                    + " \(role.rawValue) key must sign",
                many: "\(list(signed)): \(signed.count) of \(needed), \(missing) more"
                    + " \(role.rawValue) keys must sign")
    }

    fileprivate var orderingWords: Message {
        orderingMissing == 0
            ? "\(list(ordering)): \(ordering.count) of \(orderingNeeded), enough"
            : "\(list(ordering)): \(ordering.count) of \(orderingNeeded), not enough yet"
    }
}

private func list(_ keys: [Bytes16]) -> Message {
    keys.isEmpty ? "nobody" : .verbatim(keys.map(\.description).joined(separator: ", "))
}

/// What is said beforehand of a policy with rules that wipe; nil of others.
/// `missing`: how many order keys have yet to sign it.
func wipeNote(on policy: [UInt8], missing: Int) -> Message? {
    let closing = PolicyDocument.closingWipeRules(in: policy)
    let notes = [
        closing.isEmpty
            ? nil
            : "closes accounts, and never wipes them (\(closing.joined(separator: ", "))): no"
                + " default does, nor a policy that excludes a group" as Message,
        note(onWiping: policy, missing),
    ].compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
}

private func note(onWiping policy: [UInt8], _ missing: Int) -> Message? {
    let rules = PolicyDocument.wipeRules(in: policy)
    guard !rules.isEmpty, missing > 0 else { return nil }
    let names = rules.joined(separator: ", ")
    return Message(
        missing,
        one: "closes accounts, and wipes them (\(names)) only once \(missing) more order key has"
            + " signed it: mamctl fleet cosign",
        many: "closes accounts, and wipes them (\(names)) only once \(missing) more order keys have"
            + " signed it: mamctl fleet cosign")
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

    /// `names`: of the machine and the account of an order.
    func words(_ root: Root?, _ names: FleetNames? = nil) -> String {
        var rows: [[Message]] = [
            ["file", .verbatim(path.shown)], ["kind", .verbatim(envelope.kind.rawValue)],
            ["organisation", .verbatim(statement.organization.description)],
            ["audience", .verbatim(statement.audience.description)],
            ["name", .verbatim(statement.name)],
        ]
        // An order's only tells it from others.
        if envelope.kind != .order { rows.append(["serial", "\(statement.serial)"]) }
        rows += [
            ["issued", .verbatim(rfc3339(statement.issued))],
            ["expires", statement.expires.map { .verbatim(rfc3339($0)) } ?? "never"],
        ]
        if case .machine(let id) = statement.audience, let name = names?.name(of: id) {
            rows.append(["machine", .verbatim(name)])
        }
        rows += contentRows(names)
        rows.append(["fingerprint", .verbatim(envelope.fingerprint)])
        if let signatures = signatures(root) {
            rows.append(["signed by", signatures.words])
            let isOrdered = envelope.kind == .membership && !signatures.ordering.isEmpty
            if isOrdered || !wipeRules.isEmpty || envelope.namesRecoveryKey {
                rows.append(["order keys", signatures.orderingWords])
            }
            if let note = noteOnOrderKeys(signatures) { rows.append(["effect", note]) }
        }
        return table(rows)
    }

    func noteOnOrderKeys(_ signatures: Signatures) -> Message? {
        let missing = signatures.orderingMissing
        let recovery = envelope.namesRecoveryKey ? recoveryNote(missing: missing) : nil
        let notes =
            [recovery].compactMap(\.self)
            + policies.compactMap { wipeNote(on: $0, missing: missing) }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// None of other documents.
    private var policies: [[UInt8]] { (try? envelope.policies()) ?? [] }

    private var wipeRules: [String] { policies.wipeRules }

    private func contentRows(_ names: FleetNames?) -> [[Message]] {
        let content = envelope.content
        switch envelope.kind {
        case .policy:
            return policyRows + recoveryKeys(in: policies).map { ["recovery key", .verbatim($0)] }
                + (wipeRules.isEmpty
                    ? [] : [["wipes by", .verbatim(wipeRules.joined(separator: ", "))]])
        case .settings: return settingsRows(of: content)
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
                + (order.account.map { [["account", accountWords($0, names)]] } ?? [])
                + (order.withdrawn.map { [["withdraws", .verbatim($0.description)]] } ?? [])
                + (code(of: order).map { [["code", .verbatim($0.description)]] } ?? [])
        case .time:
            let heads = (try? SignedTime(parsing: content))?.heads ?? [:]
            return heads.map { "\($0.key) \($0.value)" }.sorted().map { ["head", .verbatim($0)] }
        case .root: return (try? Root(parsing: content)).map(rows) ?? []
        }
    }

    /// Of the request that it answers: each signer may have it read again.
    private func code(of order: Order) -> ResetCode? {
        guard case .machine(let machine) = statement.audience, let account = order.account else {
            return nil
        }
        return order.reset.map {
            ResetCode($0.publicKey, of: account, on: machine, in: statement.organization)
        }
    }

    private var policyRows: [[Message]] {
        let size = { (bytes: [UInt8]) -> Message in
            bytes.isEmpty ? "withdrawn" : bytes.count.counted("byte")
        }
        guard let ring = statement.ring, let pair = try? PolicyPair(parsing: envelope.content)
        else { return [["content", size(envelope.content)]] }
        return [
            ["new, for \(ring.share) %", size(pair.policy)],
            ["else the former", size(pair.former)],
        ]
    }

    private func accountWords(_ account: Bytes16, _ names: FleetNames?) -> Message {
        guard case .machine(let machine) = statement.audience, let names else {
            return .verbatim(account.description)
        }
        return names.words(for: account, on: machine)
    }

    private func rows(of root: Root) -> [[Message]] {
        [["organisation's name", .verbatim(shown(root.name))]]
            + root.scopes.sorted { isBefore($0.key, $1.key) }.map { key, groups in
                ["scope of \(key)", .verbatim(groups.sorted().joined(separator: ", "))]
            }
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
        let role = envelope.kind.role
        return [
            "path": .string(path.shown), "kind": .string(envelope.kind.rawValue),
            "organization": .string(statement.organization.description),
            "audience": .string(statement.audience.description), "name": .string(statement.name),
            "serial": .integer(statement.serial), "issued": .string(rfc3339(statement.issued)),
            "expires": JSONValue(statement.expires.map(rfc3339)),
            "fingerprint": .string(envelope.fingerprint),
            "withdrawn": .bool(
                [.policy, .settings].contains(envelope.kind) && envelope.content.isEmpty),
            "share": statement.ring.map { JSONValue($0.share) } ?? .null,
            "action": JSONValue(order?.action.rawValue),
            "account": JSONValue(order?.account?.description),
            "withdraws": JSONValue(order?.withdrawn?.description),
            "code": JSONValue(order.flatMap(code)?.description), "root": own?.json ?? .null,
            "signedBy": signatures.map { .array($0.signed.map { .string($0.description) }) }
                ?? .null,
            "missing": signatures.map { JSONValue($0.missing) } ?? .null,
            "wipesBy": JSONValue(texts: wipeRules),
            "recoveryKeys": JSONValue(texts: recoveryKeys(in: policies)),
            "orderKeysMissing": role == .policy && envelope.kind != .settings
                ? signatures.map { JSONValue($0.orderingMissing) } ?? .null : .null,
            "refusal": JSONValue(refusal),
        ]
    }
}

/// What a verb made: one document, or a list of them.
func report(_ files: [FleetFile], by root: Root?, _ invocation: Invocation, asList: Bool = false) {
    // Standard output has the document.
    if files.contains(where: \.isForStandardOutput) {
        return printError(verbatim: files.map { $0.words(root) }.joined(separator: "\n\n"))
    }
    if invocation.isJSON {
        let values = files.map { $0.json(root) }
        printJSON(asList ? .array(values) : values.first ?? .null)
    } else {
        printOut(verbatim: files.map { $0.words(root) }.joined(separator: "\n\n"))
    }
}

extension [[UInt8]] {
    /// The properties by which these policies demand a wipe, each once.
    var wipeRules: [String] {
        var found: [String] = []
        for rule in flatMap({ PolicyDocument.wipeRules(in: $0) }) where !found.contains(rule) {
            found.append(rule)
        }
        return found
    }
}
