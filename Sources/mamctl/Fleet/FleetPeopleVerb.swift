// `fleet people`: a directory's people and groups become signed memberships.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

func signPeople(_ invocation: Invocation) throws -> ExitStatus {
    let fleet = try FleetDirectory(of: invocation)
    let settings = try peopleSettings(in: fleet.place)
    do {
        return try signPeople(settings, fleet, invocation)
    } catch let refusal as PeopleRefusal { throw Failure(settings.uri, refusal) }
}

private func signPeople(
    _ settings: PeopleSettings, _ fleet: FleetDirectory, _ invocation: Invocation
) throws -> ExitStatus {
    let leaving = try allowedLeaving(invocation)
    let validity = try validity(
        days: usualDays, atMost: SignedDocument.longestDays, invocation)
    let (root, organization) = (fleet.root.root, fleet.root.organization)
    let former = try fleet.place.peopleMemberships(by: root, of: organization)
    let dropped = Set(former.compactMap(\.group)).filter { settings.groups[$0] == nil }
    try require(leaving, among: Array(settings.groups.keys) + dropped, invocation)
    let found = try members(settings, dropped: dropped, fleet.place)
    let push = PolicyPush(
        try found.map { members in try members.wanted() }, signed: former, isPruning: false,
        at: validity.issued)
    let policies = try fleet.place.signedPolicies(by: root, of: organization)
    let shown = ShownPush(push, since: policies, try fleet.survey(invocation), invocation)
    let isDry = invocation.arguments.has("dry-run")
    let isQuiet = invocation.isJSON && (isDry || invocation.arguments.has("yes"))
    if isQuiet { shown.showDoubts() } else { shown.show() }
    tellOthers(found)
    // Somebody has signed the others by hand, under such a name.
    let work = push.changes.filter { $0.action != .left }
    for membership in work.compactMap(MembershipChange.init) {
        try membership.check(atMost: settings.mostLeaving, named: leaving[membership.group])
    }
    if !isDry { try sign(work, shown, validity, fleet, invocation, as: .people) }
    let isSigned = !isDry && !work.isEmpty
    if invocation.isJSON { printJSON(json(shown, found, isSigned: isSigned)) }
    if isSigned { try tellHowTheyGoOut(from: fleet) }
    return isDry && !work.isEmpty ? .attention : .success
}

// MARK: What is asked for

private func peopleSettings(in place: OrganizationDirectory) throws -> PeopleSettings {
    let path = place.whole(PeopleSettings.file)
    guard try place.has(PeopleSettings.file) else {
        throw Failure(
            .notFound, "\(path.shown): \(Errno.noEntry)",
            next: "write it as examples/organization/people.json is")
    }
    let bytes = documentText(try readFile(path, atMost: PeopleSettings.maximumByteCount))
    do throws(PolicyError) {
        return try PeopleSettings(parsing: bytes)
    } catch {
        var place = ""
        if case .value(let key, _) = error {
            let way = key.split(separator: ".", maxSplits: 1).map(String.init)
            place = line(of: way, in: bytes).map { ":\($0)" } ?? ""
        }
        throw Failure(
            .usage, "\(path.shown)\(place): \(error)",
            next: "compare it with examples/organization/people.json")
    }
}

/// By group.
private func allowedLeaving(_ invocation: Invocation) throws(Failure) -> [String: Int] {
    var found: [String: Int] = [:]
    for word in invocation.arguments.values("leaving") {
        let parts = (word.text ?? "").split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, isName(parts[0]), let count = Int(parts[1]), count >= 0 else {
            throw invocation.misuse(
                "--leaving is '\(word.shown)'; it needs a group, '=' and a number")
        }
        found[String(parts[0])] = count
    }
    return found
}

private func require(
    _ leaving: [String: Int], among groups: [String], _ invocation: Invocation
) throws(Failure) {
    guard let unknown = leaving.keys.sorted().first(where: { !groups.contains($0) }) else { return }
    throw invocation.misuse(
        "--leaving names the group \(unknown), which \(PeopleSettings.file) does not have"
            + "\(didYouMean(unknown, in: groups))")
}

extension SignedPolicy {
    /// The group of a membership that this verb has signed.
    fileprivate var group: String? {
        let groups = (try? Membership(parsing: content))?.members.keys
        return groups?.first { slot == PeopleSettings.slot(ofGroup: $0) }
    }
}

// MARK: What the directory says

/// Of each group of the settings, and of those that the settings name no more.
private func members(
    _ settings: PeopleSettings, dropped: Set<String>, _ place: OrganizationDirectory
) throws -> [DirectoryMembers] {
    let search = try DirectorySearch(settings, place)
    let people = try DirectoryPeople(
        search.entries(below: settings.base, settings.filter, settings.name),
        attribute: settings.name)
    let groups = try DirectoryGroups(
        search.entries(below: settings.groupBase, settings.groupFilter, settings.member),
        attribute: settings.member
    ) { dn, part in try search.entry(dn, part) }
    return try settings.groups.sorted { $0.key < $1.key }.map { name, dn in
        try groups.members(of: name, dn: dn, among: people)
    } + dropped.sorted().map { DirectoryMembers(nobodyIn: $0) }
}

private func tellOthers(_ found: [DirectoryMembers]) {
    for members in found {
        for person in members.nameless {
            printError(
                "\(members.group) lacks \(excerpt(of: person.dn)): \(person.reason.words)")
        }
        if members.otherCount > 0 {
            printError(
                "\(members.group) lacks \(members.otherCount.counted("member")) that the filters of"
                    + " \(PeopleSettings.file) leave out")
        }
    }
}

extension NamelessMember.Reason {
    fileprivate var words: Message {
        switch self {
        case .none: "it has no name"
        case .several: "it has several names"
        case .control: "its name has a control character"
        case .long: "its name is too long"
        case .malformed: "its name is no user principal name"
        }
    }
}

private func json(
    _ shown: ShownPush, _ found: [DirectoryMembers], isSigned: Bool
) -> JSONValue {
    let groups = found.map { members -> JSONValue in
        [
            "group": .string(members.group), "members": JSONValue(members.names.count),
            "nameless": .array(
                members.nameless.map {
                    [
                        "dn": .string(excerpt(of: $0.dn)),
                        "reason": .string($0.reason.words.english),
                    ]
                }), "leftOut": JSONValue(members.otherCount),
        ]
    }
    return shown.json(isSigned: isSigned).merging(["groups": .array(groups)])
}

extension Failure {
    /// `place`: the directory's address.
    init(_ place: String, _ refusal: PeopleRefusal) {
        let (status, next): (ExitStatus, Message) =
            switch refusal {
            case .malformed: (.damaged, "ask it with ldapsearch yourself")
            case .elsewhere: (.refused, "name a base that is whole on this server")
            case .nobody: (.refused, "correct base and filter in \(PeopleSettings.file)")
            case .nameless: (.refused, "correct name in \(PeopleSettings.file)")
            case .sameEntry, .brokenRange: (.damaged, "try again; else look at the server's log")
            case .sameName: (.refused, "correct the directory: a name belongs to one person")
            case .noGroup:
                (.notFound, "correct \(PeopleSettings.file), or take the group out of it")
            case .tooMany: (.refused, "make two groups of it")
            case .empty(let group, let count), .leaving(let group, let count, _, _):
                (.refused, "if that is so: --leaving \(group)=\(count)")
            }
        self.init(status, "\(place): \(refusal)", next: next)
    }
}
