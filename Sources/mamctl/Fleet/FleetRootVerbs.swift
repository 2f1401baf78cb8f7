// `fleet init` and `fleet rotate`: roots, for their keys to sign.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func makeRoot(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("guided") { return try guideOrganization(invocation) }
    try invocation.refuse(guidedOptions, with: "output")
    let output = try invocation.fileOutput()
    let name = try required("name", invocation).requireText("the value of --name")
    var keys: [[UInt8]] = []
    var roles: [Role: Root.Holders] = [:]
    for role in Role.allCases {
        let given = try invocation.arguments.values(role.rawValue).map {
            try publicKey($0, role.rawValue)
        }
        guard !given.isEmpty else {
            throw invocation.misuse("--\(role.rawValue) is needed")
        }
        keys += given.map(\.bytes)
        // Two, where there are two: whoever finds one root key must not own the machines.
        let fallback = role == .root && given.count > 1 || role == .order ? 2 : 1
        let threshold = try number("\(role.rawValue)-threshold", 1...64, invocation)
        roles[role] = .init(
            keys: Set(given.map(\.id)), threshold: threshold.map(Int.init) ?? fallback)
    }
    let root = try checked { () throws(Refusal) in
        try Root(name: name, keys: keys, roles: roles)
    }
    return try write(root, of: SecureRandom.bytes16(), serial: 1, to: output, invocation)
}

/// The next root has the next serial; keys without a role are left out of it.
func rotateRoot(_ invocation: Invocation) throws -> ExitStatus {
    let former = try FleetRoot(reading: invocation.operands[0])
    let output = try invocation.fileOutput()
    var keys = former.root.keys
    var roles = former.root.roles
    for (role, text) in try byRole("add", invocation) {
        let key = try publicKey(ByteString(text), "add")
        keys[key.id] = key.bytes
        roles[role]?.keys.insert(key.id)
    }
    for (role, text) in try byRole("remove", invocation) {
        let key = try id(text, "the key of --remove")
        guard roles[role]?.keys.remove(key) != nil else {
            throw Failure(
                .usage, "--remove: no key \(key) has the role \(role.rawValue)",
                next: "mamctl fleet verify \(former.file.path.asArgument) lists the keys")
        }
    }
    for (role, text) in try byRole("threshold", invocation) {
        guard let threshold = Int(text) else {
            throw invocation.misuse("--threshold \(role.rawValue)= needs a number")
        }
        roles[role]?.threshold = threshold
    }
    let scopes = try scopes(former.root, invocation)
    if let other = scopes.keys.first(where: { roles[.policy]?.keys.contains($0) == false }),
        former.root.scopes[other] != scopes[other]
    {
        throw invocation.misuse("--scope names \(other), which is no policy key")
    }
    let name = try invocation.arguments.text("name") ?? former.root.name
    let held = roles.values.reduce(into: Set<Bytes16>()) { $0.formUnion($1.keys) }
    let root = try checked { () throws(Refusal) in
        try Root(
            name: name, keys: keys.filter { held.contains($0.key) }.map(\.value), roles: roles,
            scopes: scopes.filter { roles[.policy]?.keys.contains($0.key) ?? false })
    }
    guard root != former.root else {
        throw invocation.misuse("nothing would change: add --add, --remove, --threshold or --scope")
    }
    return try write(
        root, of: former.organization, serial: former.file.statement.serial + 1, to: output,
        invocation)
}

private func checked(_ make: () throws(Refusal) -> Root) throws(Failure) -> Root {
    do throws(Refusal) { return try make() } catch {
        throw Failure(.usage, "\(error)", next: "name more keys, or another threshold")
    }
}

private func write(
    _ root: Root, of organization: Bytes16, serial: Int64, to output: ByteString,
    _ invocation: Invocation
) throws(Failure) -> ExitStatus {
    let file = try FleetFile(
        output, Slot(.root, .all, SignedDocument.rootName), root.json.encoded(),
        of: organization, serial: serial, issued: Int64(currentTime()), expires: nil)
    try file.write(replacing: invocation.arguments.has("force"))
    note(serial > 1 ? .rotate : .initialize, [file])
    report([file], by: nil, invocation)
    if !invocation.isJSON {
        let needed = root.threshold(of: .root)
        printError(
            serial > 1
                ? "Nobody has signed it yet. \(needed) of its root keys must, and enough of the"
                    + " former root's with --root FORMER:"
                : "Nobody has signed it yet. \(needed) of its root keys must:")
        printError(verbatim: "  mamctl fleet cosign \(output.asArgument) --key KEY")
    }
    return .success
}
