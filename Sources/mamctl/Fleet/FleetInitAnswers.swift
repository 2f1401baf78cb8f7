// What `fleet init --guided` has to know: from options, else from questions on a terminal.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// The key of one who has a role.
enum FleetHolder: Hashable {
    /// A private key's file, which is made where there is none.
    case file(ByteString)
    /// Somebody's who signs elsewhere, as its text.
    case publicKey(String)

    var file: ByteString? { if case .file(let path) = self { path } else { nil } }

    /// A directory, such as a stick, stands for a file in it.
    fileprivate init(_ given: ByteString) {
        if let text = given.text, SigningPublicKey(text: text) != nil {
            self = .publicKey(text)
            return
        }
        let path = typedPath(given, below: SetupDefaults.home)
        let found = try? status(at: workingDirectory, path.cString, followLinks: true)
        let isDirectory = found.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
        self = .file(isDirectory ? path.appending("mamd.key") : path)
    }
}

struct FleetInitAnswers {
    let name: String
    let directory: OrganizationDirectory
    let holders: [Role: [FleetHolder]]
    let servers: [ServerName]
    /// The export that becomes the first policy; nil for none.
    let policy: ByteString?

    private static let examplePolicy = ByteString(
        "/usr/share/doc/mamd/examples/policies/first.json")
    private static let none = ByteString("-")

    init(_ invocation: Invocation) throws {
        name =
            try invocation.arguments.text("name")
            ?? answer("Name of the organisation", nil, "name", invocation)
            .requireText("the value of --name")
        directory = try Self.directory(of: name, invocation)
        holders = try Self.holders(directory.path, invocation)
        servers = try Self.servers(invocation)
        policy = try Self.policy(invocation)
    }

    private static func directory(
        of name: String, _ invocation: Invocation
    ) throws -> OrganizationDirectory {
        let home = SetupDefaults.home
        let short = name.lowercased().split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
            .joined(separator: "-")
        let usual = home.appending(short.isEmpty ? "organisation" : short)
        let given =
            try namedOrganization(invocation)
            ?? answer("Its directory", usual, "organization", invocation)
        return OrganizationDirectory(try path(given, below: home))
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
            let words = try given.isEmpty ? ask(role, count, directory, invocation) : given
            found[role] = words.map(FleetHolder.init)
        }
        let times = invocation.arguments.values(Role.time.rawValue)
        found[.time] = (times.isEmpty ? [directory.appending("time.key")] : times)
            .map(FleetHolder.init)
        return found
    }

    private static func ask(
        _ role: Role, _ count: Int, _ directory: ByteString, _ invocation: Invocation
    ) throws -> [ByteString] {
        let keys = ByteString(directory.bytes + Array("-keys".utf8))
        return try (1...count).map { number in
            let key = count > 1 ? "\(role.rawValue)-\(number)" : role.rawValue
            return try answer(
                "Key '\(key)': a file, or the directory of a stick (-: none)",
                keys.appending("\(key).key"), role.rawValue, invocation)
        }.filter { $0 != none }
    }

    // MARK: The engine and the policy

    private static func servers(_ invocation: Invocation) throws -> [ServerName] {
        var words = invocation.arguments.values("server")
        if words.isEmpty {
            let answer = try answer(
                "NATS servers, one or three, with blanks between them", SetupDefaults.host,
                "server", invocation)
            words = answer.bytes.split(separator: UInt8(ascii: " ")).map { ByteString(Array($0)) }
        }
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
        let given =
            try invocation.arguments.value("first-policy")
            ?? answer(
                "First policy, a file that Graph exported (-: none)",
                isThere ? examplePolicy : none, "first-policy", invocation)
        return given == none ? nil : typedPath(given, below: SetupDefaults.home)
    }
}

extension ServerName {
    fileprivate var withNextPort: ServerName? {
        port < .max ? ServerName(at(port + 1)) : nil
    }
}

/// Without a terminal nothing is guessed: where keys lie is for people to say. An empty answer is
/// the usual one.
private func answer(
    _ question: Message, _ usual: ByteString?, _ option: String, _ invocation: Invocation
) throws -> ByteString {
    guard isatty(STDIN_FILENO) == 1 else { throw invocation.misuse("--\(option) is needed") }
    if let usual { return try ask(question, usual) }
    let answer = try Terminal.askOpenly(question)
    guard !answer.bytes.isEmpty else { throw invocation.misuse("--\(option) is needed") }
    return answer
}
