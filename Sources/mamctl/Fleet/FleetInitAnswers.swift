// What `fleet init --guided` has to know: from options, else from questions on a terminal.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// The key of one who has a role.
enum FleetHolder: Hashable {
    /// A private key's file, which is made where there is none.
    case file(ByteString)
    /// Somebody's who signs elsewhere, as its text.
    case publicKey(String)

    var file: ByteString? { if case .file(let path) = self { path } else { nil } }

    /// A directory, such as a stick, stands for a file in it: one that is no other key of the role.
    fileprivate init(_ given: ByteString, besides others: [FleetHolder]) throws {
        if let text = given.text, SigningPublicKey(text: text) != nil {
            self = .publicKey(text)
            return
        }
        let path = typedPath(given, below: SetupDefaults.home)
        let found = try? status(at: workingDirectory, path.cString, followLinks: true)
        if found == nil, given.bytes.last == UInt8(ascii: "/") { throw Failure(path, .noEntry) }
        guard let found, found.st_mode & S_IFMT == S_IFDIR else {
            self = .file(path)
            return
        }
        let names = ["mamd.key"] + (2...others.count + 2).map { "mamd-\($0).key" }
        let holders = names.map { FleetHolder.file(path.appending(ByteString($0))) }
        self = holders.first { !others.contains($0) } ?? .file(path)
    }

    /// What was typed: a key that is there must be one; else its directory must be, and its name
    /// one of a key, as that of a stick which is missing is none. `usual`: the one that is made.
    fileprivate func check(makesIn usual: ByteString) throws {
        guard let file else { return }
        if access(file.cString, F_OK) == 0 {
            _ = try FleetKey.publicKey(of: file)
        } else if file.directory != usual {
            _ = try naming(file, status(at: workingDirectory, file.directory.cString))
            guard file.shown.hasSuffix(".key") else {
                throw Failure(
                    .notFound, "\(file.shown) is not there, and a new key's file ends in .key",
                    next: "mount the stick, or name \(file.appending("mamd.key").shown)")
            }
        }
    }
}

struct FleetInitAnswers {
    let name: String
    let directory: OrganizationDirectory
    let holders: [Role: [FleetHolder]]
    let servers: [ServerName]
    /// The export that becomes the first policy; nil for none.
    let policy: ByteString?
    /// What signs the time and sends what changes from now on; nil: something else does.
    let units: FleetOfficeUnits?

    private static let examplePolicy = ByteString(
        "/usr/share/doc/mamd/examples/policies/first.json")
    private static let none = ByteString("-")

    init(_ invocation: Invocation) throws {
        name =
            try invocation.arguments.text("name")
            ?? answer("Name of the organisation", nil, "name", invocation) { given in
                try given.requireText("the value of --name")
            }
        directory = try Self.directory(of: name, invocation)
        holders = try Self.holders(directory.path, invocation)
        servers = try Self.servers(invocation)
        policy = try Self.policy(invocation)
        units = try Self.units(directory.path, invocation)
    }

    /// Without a terminal none: that starts nothing which nobody has asked for.
    private static func units(
        _ directory: ByteString, _ invocation: Invocation
    ) throws -> FleetOfficeUnits? {
        let units = FleetOfficeUnits(of: directory, below: SetupDefaults.home)
        let read = { (given: ByteString) throws -> FleetOfficeUnits? in
            switch given.text {
            case "no": return nil
            case "yes":
                guard let units else {
                    throw invocation.misuse(
                        "\(directory.shown) is not right in the home directory, where the units"
                            + " look for it")
                }
                return units
            default: throw invocation.misuse("--units must be yes or no")
            }
        }
        if let given = invocation.arguments.value("units") { return try read(given) }
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        return try answer(
            "Units of yours sign the time and send what is new (yes, no)",
            ByteString(units?.isOffered == true ? "yes" : "no"), "units", invocation, read)
    }

    private static func directory(
        of name: String, _ invocation: Invocation
    ) throws -> OrganizationDirectory {
        let home = SetupDefaults.home
        let short = name.lowercased().split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
            .joined(separator: "-")
        let usual = home.appending(short.isEmpty ? "organisation" : short)
        let read = { (given: ByteString) throws in
            OrganizationDirectory(try path(given, below: home))
        }
        return try namedOrganization(invocation).map(read)
            ?? answer("Its directory", usual, "organization", invocation, read)
    }

    // MARK: Keys

    /// The keys that are asked for: two of three people change the root, two sign a wipe.
    private static let usualCounts: [(role: Role, count: Int)] = [
        (.root, 3), (.policy, 1), (.order, 2),
    ]

    private static func holders(
        _ directory: ByteString, _ invocation: Invocation
    ) throws -> [Role: [FleetHolder]] {
        var found: [Role: [FleetHolder]] = [:]
        for (role, count) in usualCounts {
            let given = invocation.arguments.values(role.rawValue)
            found[role] =
                try given.isEmpty ? ask(role, count, directory, invocation) : holders(given)
        }
        let times = invocation.arguments.values(Role.time.rawValue)
        found[.time] = try holders(times.isEmpty ? [directory.appending("time.key")] : times)
        return found
    }

    private static func holders(_ given: [ByteString]) throws -> [FleetHolder] {
        try given.reduce(into: []) { $0.append(try FleetHolder($1, besides: $0)) }
    }

    private static func ask(
        _ role: Role, _ count: Int, _ directory: ByteString, _ invocation: Invocation
    ) throws -> [FleetHolder] {
        let keys = ByteString(directory.bytes + Array("-keys".utf8))
        var found: [FleetHolder] = []
        for number in 1...count {
            let key = count > 1 ? "\(role.rawValue)-\(number)" : role.rawValue
            let holder = try answer(
                "Key '\(key)': a file, or the directory of a stick (-: none)",
                keys.appending("\(key).key"), role.rawValue, invocation
            ) { given -> FleetHolder? in
                guard given != none else { return nil }
                let holder = try FleetHolder(given, besides: found)
                guard !found.contains(holder) else {
                    throw Failure(
                        .usage, "\(given.shown) is another key of this role already",
                        next: "name another file, or -")
                }
                try holder.check(makesIn: keys)
                return holder
            }
            if let holder { found.append(holder) }
        }
        return found
    }

    // MARK: The engine and the policy

    private static func servers(_ invocation: Invocation) throws -> [ServerName] {
        let words = invocation.arguments.values("server")
        guard words.isEmpty else { return try servers(named: words, invocation) }
        return try answer(
            "NATS servers, one, three or five, with blanks between them", SetupDefaults.host,
            "server", invocation
        ) { given in
            let words = given.bytes.split(separator: UInt8(ascii: " "))
            return try servers(named: words.map { ByteString(Array($0)) }, invocation)
        }
    }

    private static func servers(
        named words: [ByteString], _ invocation: Invocation
    ) throws -> [ServerName] {
        try requireMajority(of: words.count, invocation)
        var found: [ServerName] = []
        for word in words {
            guard var server = word.text.flatMap(ServerName.init) else {
                throw invocation.misuse("--server is '\(word.shown)', not HOST or HOST:PORT")
            }
            // Several on one host get a port each.
            while found.contains(server), let next = server.withNextPort { server = next }
            found.append(server)
        }
        return found
    }

    private static func policy(_ invocation: Invocation) throws -> ByteString? {
        let isThere = access(examplePolicy.cString, R_OK) == 0
        let read = { (given: ByteString) throws -> ByteString? in
            guard given != none else { return nil }
            return try checkedPolicy(typedPath(given, below: SetupDefaults.home), invocation)
        }
        if let given = invocation.arguments.value("first-policy") { return try read(given) }
        return try answer(
            "First policy, a file that Graph exported (-: none)", isThere ? examplePolicy : none,
            "first-policy", invocation, read)
    }

    private static func checkedPolicy(
        _ export: ByteString, _ invocation: Invocation
    ) throws -> ByteString {
        guard let name = export.lastComponent.text, isDocumentName(name.utf8) else {
            throw invocation.misuse("--first-policy is '\(export.shown)', not a file *.json")
        }
        _ = try exportedPolicies(readFile(export, atMost: Envelope.maximumByteCount), export)
        return export
    }
}

extension ServerName {
    fileprivate var withNextPort: ServerName? {
        port < .max ? ServerName(at(port + 1)) : nil
    }
}

/// Without a terminal nothing is guessed: where keys lie is for people to say. An empty answer is
/// the usual one; what `read` refuses is asked for again.
private func answer<Value>(
    _ question: Message, _ usual: ByteString?, _ option: String, _ invocation: Invocation,
    _ read: (ByteString) throws -> Value
) throws -> Value {
    guard isatty(STDIN_FILENO) == 1 else { throw invocation.misuse("--\(option) is needed") }
    return try askingAgain(
        if: true, for: [.failure, .usage, .notFound, .refused, .damaged]
    ) {
        let given = try usual.map { try ask(question, $0) } ?? Terminal.askOpenly(question)
        guard !given.bytes.isEmpty else { throw invocation.misuse("--\(option) is needed") }
        return try read(given)
    }
}
