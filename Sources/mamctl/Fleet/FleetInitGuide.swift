// `fleet init --guided`: from nothing to an organisation with a root, an engine and a first policy,
// by the verbs that make each. What is there stays, so that an interrupted run goes on.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire
internal import MAMWords

func guideOrganization(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.refuse(["output", "force"], with: "guided")
    if invocation.arguments.has("no-passphrase") {
        try invocation.refuse(["passfile", "extpass"], with: "no-passphrase")
    }
    var guide = try FleetInitGuide(FleetInitAnswers(invocation), invocation)
    let root = try guide.makeRoot()
    try guide.makeEngine()
    try guide.signPolicy()
    try guide.cosignPolicy(root)
    try guide.signTime()
    let failure = guide.startUnits()
    try guide.report(root, isStarted: failure == nil)
    failure?.report(isJSON: false)
    return failure?.status ?? .success
}

private struct FleetInitGuide {
    private let answers: FleetInitAnswers
    private let invocation: Invocation
    private var keys: FleetInitKeys
    private var place: OrganizationDirectory { answers.directory }

    init(_ answers: FleetInitAnswers, _ invocation: Invocation) throws {
        (self.answers, self.invocation) = (answers, invocation)
        let hasRoot = try answers.directory.has(OrganizationDirectory.root)
        keys = FleetInitKeys(mayMake: !hasRoot, invocation)
    }

    // MARK: The root

    mutating func makeRoot() throws -> FleetRoot {
        try checkPolicy()
        try makeDirectory(place.path, mode: 0o700)
        let publicKeys = try makeKeys()
        let path = place.whole(OrganizationDirectory.root)
        if try !place.has(OrganizationDirectory.root) {
            try runVerb(rootWords(publicKeys, path))
        }
        let root = try FleetRoot(reading: path, requiresSignatures: false)
        let isAsAnswered = Role.allCases.allSatisfy { role in
            Set(root.root.keys(of: role).values) == Set(publicKeys[role]?.map(\.bytes) ?? [])
        }
        guard isAsAnswered, root.root.name == answers.name, hasThresholds(root.root) else {
            throw Failure(
                .refused,
                "\(path.shown) has another name, other keys or thresholds than those given now",
                next: "name those of the first time; mamctl fleet verify \(path.asArgument)"
                    + " lists them")
        }
        return try signed(root)
    }

    /// Those that are given.
    private func hasThresholds(_ root: Root) -> Bool {
        [Role.root, .order].allSatisfy { role in
            let given = invocation.arguments.value("\(role.rawValue)-threshold")
            return given.map { $0.text == "\(root.threshold(of: role))" } ?? true
        }
    }

    private mutating func makeKeys() throws -> [Role: [SigningPublicKey]] {
        var roles: [FleetHolder: Set<Role>] = [:]
        for (role, holders) in answers.holders {
            for holder in holders { roles[holder, default: []].insert(role) }
        }
        var found: [Role: [SigningPublicKey]] = [:]
        for role in Role.allCases {
            for holder in answers.holders[role] ?? [] {
                if let file = holder.file { try makeUsualDirectory(of: file) }
                let text = try keys.publicKey(of: holder, as: roles[holder] ?? [])
                found[role, default: []].append(
                    try publicKey(ByteString(text), role.rawValue))
            }
        }
        return found
    }

    /// No other directory is made: where a stick is missing, its key must not go to the disk.
    private func makeUsualDirectory(of file: ByteString) throws {
        let usual = ByteString(place.path.bytes + Array("-keys".utf8))
        if file.directory == usual { try makeDirectory(usual, mode: 0o700) }
    }

    private func rootWords(
        _ publicKeys: [Role: [SigningPublicKey]], _ path: ByteString
    ) throws -> [ByteString] {
        var words = ["fleet", "init", "--name", answers.name].map { ByteString($0) }
        words += [ByteString("-o"), path]
        for role in Role.allCases {
            for key in publicKeys[role] ?? [] {
                words += [ByteString("--\(role.rawValue)"), ByteString(key.text)]
            }
        }
        for option in ["root-threshold", "order-threshold"] {
            if let value = invocation.arguments.value(option) {
                words += [ByteString("--\(option)"), value]
            }
        }
        return words
    }

    /// Signs with the root keys that are here, until enough have signed.
    private func signed(_ unsigned: FleetRoot) throws -> FleetRoot {
        var root = unsigned
        for path in answers.holders[.root]?.compactMap(\.file) ?? [] {
            let id = try FleetKey.publicKey(of: path).id
            guard let found = root.file.signatures(nil), found.missing > 0 else { break }
            if found.signed.contains(id) { continue }
            try keys.run(
                [ByteString("fleet"), ByteString("cosign"), root.file.path, ByteString("--yes")],
                signingWith: path)
            root = try FleetRoot(reading: root.file.path, requiresSignatures: false)
        }
        return try FleetRoot(reading: root.file.path)
    }

    // MARK: The engine

    func makeEngine() throws {
        let servers = answers.servers.map(\.description)
        let isThere = try place.has(EngineSettings.file)
        if isThere {
            let settings = try place.engineSettings()
            guard settings.servers == servers else {
                throw Failure(
                    .refused,
                    "\(place.whole(EngineSettings.file).shown): the engine has the servers"
                        + " \(settings.servers.joined(separator: ", "))",
                    next: "name those, or mamctl fleet engine renew")
            }
            let files = try answers.servers.map { server in
                try place.has("\(Engine.servers)/\(server.label)/\(ServerConfiguration.file)")
            }
            if files.allSatisfy(\.self) { return }
        } else if try place.has(Engine.operatorSeed) {
            // Settings come last: of these keys no machine knows.
            throw Failure(
                .failure,
                "\(place.whole(OrganizationDirectory.engine).shown): an interrupted run has left"
                    + " keys of an engine there",
                next: "move it away, and run this again")
        }
        let words = ["fleet", "engine", isThere ? "renew" : "init"].map { ByteString($0) }
        try runVerb(
            words + servers.flatMap { [ByteString("--server"), ByteString($0)] }
                + [ByteString("--organization"), place.path])
    }

    // MARK: Documents

    /// Before anything is made.
    private func checkPolicy() throws {
        guard let export = answers.policy else { return }
        let content = try readFile(export, atMost: Envelope.maximumByteCount)
        let former = place.whole(policyName(of: export))
        guard try place.has(policyName(of: export)),
            try readFile(former, atMost: Envelope.maximumByteCount) != content
        else { return }
        throw Failure(
            .refused, "\(former.shown) is another policy than \(export.shown)",
            next: "name that file, or change it, and mamctl fleet push")
    }

    private func policyName(of export: ByteString) -> String {
        "policies/\(export.lastComponent.shown)"
    }

    func signPolicy() throws {
        guard let export = answers.policy else { return }
        let directory = place.whole("policies")
        try makeDirectory(directory, mode: 0o700)
        let name = policyName(of: export)
        if try !place.has(name) {
            try place.write(name, try readFile(export, atMost: Envelope.maximumByteCount))
        }
        let words = ["fleet", "push", "--local", "--yes", "--organization"].map { ByteString($0) }
        try keys.run(words + [place.path, directory], signingWith: try file(of: .policy))
    }

    /// One that names a recovery key goes to no machine before order keys have signed it. Those
    /// that are here do, unless it wiped, too: that is for each of their holders to see.
    func cosignPolicy(_ root: FleetRoot) throws {
        for name in try filesForOrderKeys(root) {
            let path = place.whole(name)
            for key in answers.holders[.order]?.compactMap(\.file) ?? [] {
                let file = try FleetFile(reading: path)
                guard try file.envelope.policies().wipeRules.isEmpty,
                    let signatures = file.signatures(root.root), signatures.orderingMissing > 0
                else { break }
                if signatures.ordering.contains(try FleetKey.publicKey(of: key).id) { continue }
                let words = ["fleet", "cosign", "--yes", "--root"].map { ByteString($0) }
                try keys.run(words + [root.file.path, path], signingWith: key)
            }
        }
    }

    private func filesForOrderKeys(_ root: FleetRoot) throws -> [String] {
        try place.filesForOrderKeys(by: root.root, of: root.organization)
    }

    /// A new one each time: it lasts a day.
    func signTime() throws {
        let signed = place.whole(OrganizationDirectory.signed)
        try makeDirectory(signed, mode: 0o700)
        let words = [
            ByteString("fleet"), ByteString("time"), signed, ByteString("--force"),
            ByteString("--root"), place.whole(OrganizationDirectory.root), ByteString("-o"),
            place.whole(OrganizationDirectory.time),
        ]
        try keys.run(words, signingWith: try file(of: .time))
    }

    private func file(of role: Role) throws(Failure) -> ByteString {
        guard let path = answers.holders[role]?.lazy.compactMap(\.file).first else {
            throw invocation.misuse("--\(role.rawValue) must name a key's file: it signs here")
        }
        return path
    }

    /// Last: what they need is there.
    func startUnits() -> Failure? { answers.units?.start() }

    // MARK: What was done

    func report(_ root: FleetRoot, isStarted: Bool) throws {
        let hasUnits = isStarted && answers.units != nil
        if invocation.isJSON {
            printJSON(try json(root).merging(["units": .bool(hasUnits)]))
        } else {
            printOut(verbatim: try text(root, next: next(hasUnits)))
        }
    }

    /// Each file once, with its roles.
    private var files: [(path: ByteString, roles: [Role])] {
        var found: [(path: ByteString, roles: [Role])] = []
        for role in Role.allCases {
            for path in answers.holders[role]?.compactMap(\.file) ?? [] {
                if let index = found.firstIndex(where: { $0.path == path }) {
                    found[index].roles.append(role)
                } else {
                    found.append((path, [role]))
                }
            }
        }
        return found
    }

    private func json(_ root: FleetRoot) throws -> JSONValue {
        [
            "waitingForOrderKeys": JSONValue(texts: try filesForOrderKeys(root)),
            "directory": .string(place.path.wireText),
            "organization": .string(root.organization.description),
            "fingerprint": .string(root.file.envelope.fingerprint),
            "keys": .array(
                files.map {
                    [
                        "path": .string($0.path.wireText), "created": .bool(keys.isMade($0.path)),
                        "roles": JSONValue(texts: $0.roles.map(\.rawValue)),
                    ]
                }),
            "servers": JSONValue(texts: answers.servers.map(\.description)),
            "policy": JSONValue(answers.policy?.wireText),
        ]
    }

    private func text(_ root: FleetRoot, next: [String]) throws -> String {
        let waiting = try cosigning(in: FleetDirectory(place, root))
        let rows: [[Message]] =
            [
                ["organisation", .verbatim("\(answers.name), \(place.path.shown)")],
                ["fingerprint", .verbatim(root.file.envelope.fingerprint)],
            ]
            + files.map {
                [
                    "key of \($0.roles.map(\.rawValue).joined(separator: ", "))",
                    .verbatim($0.path.shown),
                ]
            }
        let advice: Message =
            "Write the fingerprint down on paper. Keep the keys of root, policy and order off this"
            + " machine, and a copy of each."
        return
            ([table(rows), advice.translated, ("next:" as Message).translated]
            + ([waiting].compactMap(\.self) + next).map { "  \($0)" }).joined(separator: "\n")
    }

    private func next(_ hasUnits: Bool) -> [String] {
        let servers = answers.servers.flatMap { server in
            let files = place.whole("\(Engine.servers)/\(server.label)")
            return [
                "cp -r \(files.asArgument) /etc/mamd-engine/    # root, on \(server.host)",
                "systemctl disable --now nats-server",
                "systemctl enable --now mamd-engine@\(server.label)",
            ]
        }
        let units =
            hasUnits
            ? nil : FleetOfficeUnits(of: place.path, below: SetupDefaults.home)?.lines
        return servers + (units ?? []) + [
            "export MAMCTL_ORGANIZATION=\(place.path.asArgument)",
            "mamctl fleet invite --push --note NAME -o codes",
        ]
    }
}
