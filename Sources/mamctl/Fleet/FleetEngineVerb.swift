// `fleet engine`: the keys of the engine, and files for its servers.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

private let defaultPlace = "/etc/mamd-engine"
private let defaultStore = "/var/lib/mamd-engine"

func makeEngine(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try organization(of: invocation)
    let (_, root) = try directory.rootInForce()
    let (place, store) = (
        try place("server-directory", defaultPlace, invocation),
        try place("store", defaultStore, invocation)
    )
    let isNew = invocation.operands[0].text == "init"
    if isNew, invocation.arguments.has("authority") {
        throw invocation.misuse("--authority goes with renew")
    }
    var engine: Engine
    if isNew {
        // Its keys are what machines were invited with.
        for file in [EngineSettings.file, Engine.operatorSeed] where try directory.has(file) {
            throw Failure(
                .failure, "\(directory.whole(file).shown) already exists",
                next: "mamctl fleet engine renew makes new certificates")
        }
        let settings = try settings(invocation, nil)
        engine = try .make(in: directory, named: root.name, settings, at: Int64(currentTime()))
    } else {
        engine = try existingEngine(of: invocation)
        let settings = try settings(invocation, engine.settings)
        if settings != engine.settings { try engine.change(settings) }
        try changeAuthority(of: engine, invocation)
    }
    let servers = try engine.writeServers(directory: place, store: store)
    report(engine, servers, place, store, invocation)
    return .success
}

private func changeAuthority(of engine: Engine, _ invocation: Invocation) throws {
    guard let step = try invocation.arguments.text("authority") else { return }
    let isThere = try engine.hasNextAuthority()
    switch step {
    case "new" where isThere:
        throw Failure(
            .failure, "\(engine.directory.whole(Engine.nextAuthorityKey).shown) already exists",
            next: "mamctl fleet engine renew writes the servers' files, if that was interrupted;"
                + " --authority use comes once all machines know it")
    case "use" where !isThere:
        throw Failure(
            .notFound, "there is no next authority",
            next: "mamctl fleet engine renew, if it is in use already, else first --authority new")
    case "new": try engine.makeNextAuthority()
    case "use": try engine.useNextAuthority()
    default: throw invocation.misuse("--authority is '\(shown(step))', not new or use")
    }
}

private func settings(
    _ invocation: Invocation, _ former: EngineSettings?
) throws(Failure) -> EngineSettings {
    var servers = former?.servers ?? []
    let given = invocation.arguments.values("server")
    if !given.isEmpty {
        servers = []
        for word in given {
            guard let server = word.text.flatMap(ServerName.init) else {
                throw invocation.misuse("--server is '\(word.shown)', not HOST or HOST:PORT")
            }
            guard !servers.contains(server.description) else {
                throw invocation.misuse("--server \(server) was given twice")
            }
            servers.append(server.description)
        }
        try requireMajority(of: servers.count, invocation)
    }
    guard !servers.isEmpty else { throw invocation.misuse("--server is needed") }
    let fallback = former.map { min($0.replicas, servers.count) } ?? (servers.count < 3 ? 1 : 3)
    let replicas = Int(try number("replicas", 1...5, invocation) ?? Int64(fallback))
    guard replicas % 2 == 1, replicas <= servers.count else {
        throw invocation.misuse(
            "--replicas is \(replicas): it must be 1, 3 or 5, and no more than there are servers,"
                + " \(servers.count)")
    }
    let https = try invocation.arguments.text("https") ?? former?.https
    if let https, !isHTTPS(https) {
        throw invocation.misuse("--https is '\(shown(https))', not https://HOST/PATH")
    }
    return EngineSettings(servers: servers, https: https, replicas: replicas)
}

/// Of two servers both must run, and four stand no more failures than three.
func requireMajority(of count: Int, _ invocation: Invocation) throws(Failure) {
    guard [1, 3, 5].contains(count) else {
        throw invocation.misuse(
            "\(count) servers: name one, three or five, for more than half of them must run")
    }
}

/// In the server's settings, between quotes.
private func place(
    _ option: String, _ fallback: String, _ invocation: Invocation
) throws(Failure) -> String {
    guard let text = try invocation.arguments.text(option) else { return fallback }
    guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
        !text.contains(where: { "\"\\$'".contains($0) })
    else {
        throw invocation.misuse(
            "--\(option) is '\(shown(text))': it must begin with / and have neither"
                + " blanks, quotes, '$' nor '\\'")
    }
    return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
}

private func report(
    _ engine: Engine, _ servers: [Engine.ServerFiles], _ place: String, _ store: String,
    _ invocation: Invocation
) {
    let directory = engine.directory
    if invocation.isJSON {
        printJSON([
            "settings": engine.settings.json, "serverDirectory": .string(place),
            "store": .string(store),
            "servers": .array(
                servers.map {
                    [
                        "server": .string($0.server.description),
                        "files": .string(directory.whole($0.directory).shown),
                        "ends": JSONValue(time: $0.ends),
                    ]
                }),
        ])
        return
    }
    printOut(
        verbatim: table(
            servers.map {
                [
                    .verbatim($0.server.description),
                    .verbatim(directory.whole($0.directory).shown),
                    "until \(rfc3339($0.ends))",
                ]
            }))
    printError(
        "Copy each directory to \(place) on its server, which starts with"
            + " mamd-engine@\(servers.first?.server.label ?? ""), or with\n"
            + "  nats-server -c \(place)/\(servers.first?.server.label ?? "")/nats-server.conf\n"
            + "as a user who alone reads that, and owns such a directory in \(store). Then: mamctl"
            + " fleet push, or mamfleet engine \(directory.path.asArgument)")
}
