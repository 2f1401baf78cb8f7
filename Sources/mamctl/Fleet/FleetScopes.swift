// Policy keys that sign for some groups alone.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

extension FleetKey {
    /// A signature out of the key's scope counts as little as one of a key that is not listed.
    func require(_ slot: Slot, in root: Root) throws(Failure) {
        try require(slot.kind.role, in: root)
        guard !root.covers(slot, by: id) else { return }
        throw Failure(outOfScope: slot, path, id, in: root)
    }
}

extension Failure {
    init(outOfScope slot: Slot, _ path: ByteString, _ key: Bytes16, in root: Root) {
        let groups = (root.scopes[key] ?? []).sorted().joined(separator: ", ")
        self.init(
            .refused,
            "\(path.shown): key \(key) signs policies for \(groups) alone, named"
                + " \(Root.namePrefix(of: key))…: not \(slot)",
            next: "sign with a policy key that has no scope, or give this one another: mamctl fleet"
                + " rotate --scope")
    }
}

/// What `fleet push` signs with one key: documents of keys with a scope stand beside all others.
struct PushScope {
    private let root: Root
    /// Of `--key`, if that has a scope.
    private let own: (path: ByteString, key: Bytes16)?

    init(_ invocation: Invocation, in root: Root) throws(Failure) {
        self.root = root
        guard let path = invocation.arguments.value("key"), !root.scopes.isEmpty else {
            own = nil
            return
        }
        let key = try FleetKey.publicKey(of: path).id
        own = root.scopes[key] == nil ? nil : (path, key)
    }

    /// Settings are for all.
    var hasSettings: Bool { own == nil }

    /// Whether the push may replace or withdraw it.
    func includes(_ slot: Slot) -> Bool {
        if let own { return slot.name.hasPrefix(Root.namePrefix(of: own.key)) }
        return !root.scopes.keys.contains { slot.name.hasPrefix(Root.namePrefix(of: $0)) }
    }

    /// By the names that the key signs.
    func named(_ policies: [WantedPolicy]) throws(Failure) -> [WantedPolicy] {
        guard let own else { return policies }
        var named: [WantedPolicy] = []
        for policy in policies {
            let name = Root.namePrefix(of: own.key) + policy.slot.name
            guard isName(name) else {
                throw Failure(
                    .usage, "\(policy.file): its name is too long for a key with a scope",
                    next: "rename the file")
            }
            for audience in audiences(of: policy, own.key) {
                let slot = Slot(policy.slot.kind, audience, name)
                guard root.covers(slot, by: own.key) else {
                    throw Failure(outOfScope: policy.slot, own.path, own.key, in: root)
                }
                named.append(WantedPolicy(slot, policy.content, from: policy.file))
            }
        }
        return named
    }

    /// A policy for groups of accounts, whose members all machines know, is for the machines of the
    /// scope alone.
    private func audiences(of policy: WantedPolicy, _ key: Bytes16) -> [Audience] {
        let exported = try? ExportedPolicy.all(in: policy.content)
        guard policy.slot.audience == .all, let exported,
            exported.allSatisfy({ !$0.isForEveryone })
        else { return [policy.slot.audience] }
        return (root.scopes[key] ?? []).sorted().map { .group($0) }
    }
}

/// The scopes after `--scope ID=group:NAME[,group:NAME]`, or `ID=all`.
func scopes(
    _ former: Root, _ invocation: Invocation
) throws(Failure) -> [Bytes16: Set<String>] {
    var (found, named) = (former.scopes, Set<Bytes16>())
    for word in invocation.arguments.values("scope") {
        let parts = word.shown.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else {
            throw invocation.misuse("--scope is '\(word.shown)', not ID=group:NAME or ID=all")
        }
        let key = try id(String(parts[0]), "the key of --scope")
        guard named.insert(key).inserted else {
            throw invocation.misuse("--scope names \(key) twice; put commas between its groups")
        }
        found[key] = try groups(of: String(parts[1]), invocation)
    }
    return found
}

/// Nil: all.
private func groups(
    of text: String, _ invocation: Invocation
) throws(Failure) -> Set<String>? {
    if text == "all" { return nil }
    var found: Set<String> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard case .group(let name) = Audience(String(part)) else {
            throw invocation.misuse("--scope has '\(shown(String(part)))', not group:NAME or all")
        }
        found.insert(name)
    }
    return found
}
