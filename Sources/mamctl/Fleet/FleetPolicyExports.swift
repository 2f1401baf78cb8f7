// The policies of a directory of exports, and the audience of each.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Which groups are of accounts, and which of machines: their policies travel otherwise.
///
/// A machine works out itself whom a policy covers, from the `members` of its memberships; a group
/// that it does not know counts as everybody. So a policy for a group is for all machines if all of
/// them know the members. Else it is for the machines of the group.
struct KnownGroups {
    /// In lower case, as a machine compares them.
    private var ofAccounts: Set<String> = []
    private var ofMachines: [String: String] = [:]

    init(_ directory: OrganizationDirectory) throws {
        for name in try directory.files(below: OrganizationDirectory.signed) {
            let envelope = try directory.envelope(name)
            guard envelope.kind == .membership else { continue }
            do throws(Refusal) { try add(envelope) } catch { throw directory.failure(name, error) }
        }
        let invited = try directory.invitationRecords().flatMap(\.groups)
        for group in try directory.registeredMachines().flatMap(\.groups) + invited {
            ofMachines[group.caseFolded] = group
        }
    }

    private mutating func add(_ envelope: Envelope) throws(Refusal) {
        let audience = try envelope.statement().audience
        let membership = try Membership(parsing: envelope.content)
        if audience == .all {
            ofAccounts.formUnion(membership.members.keys.map { $0.caseFolded })
        }
        for group in membership.groups { ofMachines[group.caseFolded] = group }
    }

    /// Whether a machine, an invitation or a membership has the group.
    func haveMachines(in group: String) -> Bool { ofMachines[group.caseFolded] == group }

    func audiences(of policy: ExportedPolicy, _ file: ByteString) throws(Failure) -> [Audience] {
        for group in policy.excludedGroups where !ofAccounts.contains(group.caseFolded) {
            printError(
                "\(file.shown): it excludes the group \(shown(group)), whose members no membership"
                    + " for all has: a machine that does not know them excludes nobody")
        }
        if policy.isForEveryone { return [.all] }
        let others = policy.groups.filter { !ofAccounts.contains($0.caseFolded) }
        if others.isEmpty { return [.all] }
        if let unknown = others.first(where: { ofMachines[$0.caseFolded] == nil }) {
            throw Failure(
                .usage,
                "\(file.shown): it is for the group \(shown(unknown)), which no membership,"
                    + " invitation or machine has",
                next: "sign a membership for all with its members, or invite with --group")
        }
        guard others.count == policy.groups.count else {
            throw Failure(
                .usage,
                "\(file.shown): it is for groups of accounts and of machines (\(shown(others[0])))"
                    + " at once",
                next: "make two policies of it")
        }
        return Set(others.compactMap { ofMachines[$0.caseFolded] }).sorted().map { .group($0) }
    }
}

/// All policies in `*.json` of a directory. One that machines would refuse refuses all.
func wantedPolicies(
    in directory: ByteString, _ groups: KnownGroups
) throws -> [WantedPolicy] {
    var wanted: [Slot: WantedPolicy] = [:]
    let names = try naming(directory, entries(of: directory))
    for name in names.compactMap(\.text).sorted()
    where isDocumentName(name.utf8) {
        let path = directory.appending(name)
        let bytes = try readFile(path, atMost: Envelope.maximumByteCount)
        let policies = try exportedPolicies(bytes, path)
        for (index, policy) in policies.enumerated() {
            let title = title(of: policy, name, policies.count == 1 ? nil : index)
            for audience in try groups.audiences(of: policy, path) {
                let slot = Slot(.policy, audience, title)
                if let other = wanted[slot] {
                    throw Failure(
                        .usage, "\(path.shown): \(slot) is in \(other.file) already",
                        next: "rename one of the files")
                }
                wanted[slot] = WantedPolicy(slot, policy.content, from: path.shown)
            }
        }
    }
    guard !wanted.isEmpty else {
        throw Failure(
            .notFound, "\(directory.shown): no policy is here",
            next: "put Graph's exports there, as *.json")
    }
    return wanted.values.sorted { $0.slot.description < $1.slot.description }
}

/// The policies of an export at a path, if machines would take them.
func exportedPolicies(
    _ bytes: [UInt8], _ path: ByteString
) throws(Failure) -> [ExportedPolicy] {
    do throws(PolicyError) { return try ExportedPolicy.all(in: bytes) } catch {
        throw Failure(
            .usage,
            "\(path.shown): not signed, machines would refuse it: \(ByteString("\(error)").shown)",
            next: "mamctl policy check \(path.asArgument)")
    }
}

/// The file's name; of one of several policies its id. What a name must not have becomes `-`.
private func title(of policy: ExportedPolicy, _ file: String, _ index: Int?) -> String {
    guard let index else { return name(from: file) }
    if let id = policy.id, isName(id) { return "\(id.prefix(95)).json" }
    return name(from: "\(file.dropLast(5).prefix(80))-\(index + 1).json")
}

private func name(from text: String) -> String {
    let allowed = text.map { isName("a\($0)") ? $0 : "-" }
    return String(allowed.suffix(100))
}
