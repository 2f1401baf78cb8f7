// What a push does, for people and as JSON, before it is signed.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

private let namedCount = 5

/// A preview, and the names of machines.
struct ShownPreview {
    let preview: PolicyPreview
    let names: [MachineID: String]
    /// Shows rules of new policies that are not enforced, too.
    let isVerbose: Bool

    /// Labels and sentences.
    var rows: [[Message]] {
        var rows: [[Message]] = [["for", audience]]
        rows += documents.map { ["assigned to", $0] }
        rows += preview.membership.map(moves) ?? rules
        rows.append([preview.membership == nil ? "covers" : "changes", coverage])
        rows += closes.map { ["closes", $0] }
        rows += preview.wipes.map {
            [
                "wipes",
                "when \(Message(known: $0.condition)) (\($0.rule)), once enough order keys have"
                    + " signed it: mamctl fleet cosign",
            ]
        }
        rows += recoveryKeys.map { key in
            [
                "recovery key",
                "\(key): machines refuse the policy before enough order keys have signed it:"
                    + " mamctl fleet cosign",
            ]
        }
        rows += removedRecoveryKeys.map { key in
            [
                "recovery key",
                "\(key): taken away once enough order keys have signed this: mamctl fleet cosign",
            ]
        }
        rows += warnings.map { ["warning", $0] }
        return rows + (doubt.map { [["beware", $0]] } ?? [])
    }

    /// Why it should be asked for twice; nil: it need not.
    var doubt: Message? {
        let name = preview.change.slot.name
        if preview.isForNobody { return "\(name) covers nobody that is known" }
        guard preview.closesAll else { return nil }
        return preview.change.action == .withdrawn
            ? "withdrawing \(name) closes all accounts that it covers"
            : "\(name) closes all accounts that it covers"
    }

    /// That the new policy names.
    private var recoveryKeys: [String] {
        guard preview.change.slot.kind == .policy else { return [] }
        return mamctl.recoveryKeys(in: [preview.change.content])
    }

    /// That the former one names alone.
    private var removedRecoveryKeys: [String] {
        guard preview.change.slot.kind == .policy, preview.change.action != .left,
            let former = preview.change.former
        else { return [] }
        let named = mamctl.recoveryKeys(in: [former.content] + (former.replaced.map { [$0] } ?? []))
        return named.filter { !recoveryKeys.contains($0) }
    }

    // MARK: Whom it is for

    private var audience: Message {
        let machines = preview.machines.count.counted("machine")
        let whom: Message =
            switch preview.change.slot.audience {
            case .all: "all machines: \(machines)"
            case .group(let group): "the machines of the group \(group): \(machines)"
            case .machine(let id): "the machine \(names[id] ?? id.description)"
            }
        guard !preview.silent.isEmpty else { return whom }
        let count = preview.silent.count
        let silent = list(preview.silent.map { names[$0] ?? $0.description })
        return Message(
            count,
            one: "\(whom); unknown is what it does on \(count.grouped), which has sent no report"
                + " that counts: \(silent)",
            many: "\(whom); unknown is what it does on \(count.grouped), which have sent no report"
                + " that counts: \(silent)")
    }

    private var documents: [Message] {
        preview.documents.map { document in
            let whom: Message =
                document.assignments.isEmpty
                ? "everybody" : document.assignments.map(\.words).joined(separator: ", ")
            guard let workspaces = document.workspaces else { return whom }
            return workspaces.isEmpty
                ? "\(whom), in no workspace: no entry of apps has a bundleId"
                : "\(whom), in the workspaces \(list(workspaces.map { excerpt(of: $0) }))"
        }
    }

    private var coverage: Message {
        let accounts = preview.covered
        guard accounts.isEmpty else {
            return "\(accounts.count.counted("account")): \(list(accounts.map(shown)))"
        }
        let reasons = preview.obstacles.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !reasons.isEmpty else { return "no account that is known" }
        let words = reasons.prefix(namedCount).map { reason, count -> Message in
            "\(Message(known: reason)) (\(count.counted("machine")))"
        }
        return "nobody: \(words.joined(separator: "; "))"
    }

    private func shown(_ account: ReportedAccount) -> String {
        let machine = names[account.machine] ?? account.machine.description
        return "\(excerpt(of: account.name)) (\(machine))"
    }

    private func list(_ names: [String]) -> Message {
        let first = names.prefix(namedCount).joined(separator: ", ")
        let more = names.count - namedCount
        return more > 0 ? "\(first) and \(more.grouped) more" : .verbatim(first)
    }

    // MARK: What it says

    private func moves(_ membership: MembershipChange) -> [[Message]] {
        let row = { (label: Message, names: [String]) -> [[Message]] in
            names.isEmpty
                ? [] : [[label, "\(names.count.grouped): \(list(names.map(excerpt(of:))))"]]
        }
        return row("join", membership.joining) + row("leave", membership.leaving)
    }

    private var rules: [[Message]] {
        let differences = preview.change.differences
        switch preview.change.action {
        case .new:
            let shown = RuleForce.allCases.filter { isVerbose || $0.closes }
            return shown.flatMap { force in
                differences.filter { $0.force == force }.map { row($0, $0.newText) }
            } + folded(differences.filter { $0.force.map { !shown.contains($0) } ?? false })
        case .changed where differences.isEmpty:
            return [["", "the same values, written otherwise"]]
        default: return differences.map { row($0, $0.text) }
        }
    }

    private func folded(_ rules: [FieldDifference]) -> [[Message]] {
        guard !rules.isEmpty else { return [] }
        let count = rules.count
        return [
            [
                "not enforced",
                Message(
                    count, one: "\(count.grouped) rule, which --verbose shows",
                    many: "\(count.grouped) rules, which --verbose shows"),
            ]
        ]
    }

    private func row(_ difference: FieldDifference, _ text: String) -> [Message] {
        [difference.force?.label ?? "", .verbatim(excerpt(of: text))]
    }

    // MARK: What it does

    private var closes: [Message] {
        // What closes accounts that are known stands beside their names.
        let own = preview.effects.filter {
            $0.kind != .warning && (preview.covered.isEmpty || !$0.isForAll)
        }.map { Message(known: $0.reason) }
        let accounts = Dictionary(grouping: preview.closed, by: \.reason)
        return own
            + accounts.sorted { $0.key < $1.key }.map { reason, closed in
                "\(list(closed.map { shown($0.account) })): \(Message(known: reason))"
            }
    }

    private var warnings: [Message] {
        let findings = preview.findings.map { finding -> Message in
            let key = finding.key.map { finding.reason.hasPrefix($0) ? "" : "\($0): " } ?? ""
            return .verbatim(ByteString(key + finding.reason).shown)
        }
        let guesses = preview.guessableSeconds.map {
            Message(known: PinRules.guessable(seconds: $0))
        }
        let others = preview.warnings.sorted { $0.key < $1.key }.map { text, count -> Message in
            "\(Message(known: excerpt(of: text))) (\(count.counted("machine")))"
        }
        let effects = preview.effects.filter { $0.kind == .warning }.map {
            Message(known: $0.reason)
        }
        return findings + effects + [guesses].compactMap(\.self) + others
    }
}

extension Assignment {
    fileprivate var words: Message {
        switch self {
        case .everyone, .unknown: "everybody"
        case .group(let group): "the group \(excerpt(of: group))"
        case .allBut(let group): "not the group \(excerpt(of: group))"
        case .account(let name): .verbatim(excerpt(of: name))
        }
    }
}

extension RuleForce {
    /// Whether it keeps anybody from anything.
    fileprivate var closes: Bool {
        switch self {
        case .enforced, .contained: true
        case .answered, .unused: false
        }
    }

    /// Before a rule.
    fileprivate var label: Message {
        switch self {
        case .enforced: "enforced"
        case .contained: "if contained"
        case .answered: "answered"
        case .unused: "no effect"
        }
    }
}

// MARK: JSON

extension ShownPreview {
    var json: JSONValue {
        [
            "machines": JSONValue(texts: preview.machines.map(\.description)),
            "unknown": JSONValue(texts: preview.silent.map(\.description)),
            "covers": .array(preview.covered.map { .object(members(of: $0)) }),
            "obstacles": JSONValue(texts: preview.obstacles.keys.sorted()),
            "effects": .array(
                preview.effects.map {
                    [
                        "kind": .string($0.kind.rawValue), "rule": .string($0.rule),
                        "reason": .string($0.reason),
                    ]
                }),
            "closes": .array(
                preview.closed.map {
                    .object(
                        members(of: $0.account).merging(["reason": .string($0.reason)]) { $1 })
                }),
            "wipes": .array(
                preview.wipes.map {
                    ["rule": .string($0.rule), "condition": .string($0.condition)]
                }),
            "recoveryKeys": JSONValue(texts: recoveryKeys),
            "removedRecoveryKeys": JSONValue(texts: removedRecoveryKeys),
            "rules": .array(preview.change.differences.map(\.json)),
            "joining": JSONValue(texts: preview.membership?.joining ?? []),
            "leaving": JSONValue(texts: preview.membership?.leaving ?? []),
            "warnings": JSONValue(texts: warnings.map(\.english)),
            "coversNobody": .bool(preview.isForNobody), "closesAll": .bool(preview.closesAll),
        ]
    }

    private func members(of account: ReportedAccount) -> [String: JSONValue] {
        [
            "machine": .string(account.machine.description),
            "machineName": JSONValue(names[account.machine]),
            "account": .string(account.id.description),
            "name": .string(excerpt(of: account.name)),
        ]
    }
}

extension FieldDifference {
    fileprivate var json: JSONValue {
        [
            "path": .string(path), "former": former ?? .null, "value": new ?? .null,
            "force": JSONValue(force?.rawValue),
        ]
    }
}
