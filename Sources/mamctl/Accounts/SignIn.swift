// `account refresh`, `account keys`, and the sign-in of `account register` and `login`. mamd-signin
// talks to the issuer, and the daemon verifies what it brings; no token passes here.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func refreshAccount(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    try runSignIn(["refresh", "--account", account.label], daemon)
    return invocation.answer(
        ["account": .string(account.label)], words: "\(account.label): signed in")
}

func fetchKeys(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    if let file = invocation.arguments.value("into") {
        try invocation.refuse(["from"], with: "into")
        try runSignIn(["keys", "--into", file.wireText], daemon)
    } else if let file = invocation.arguments.value("from") {
        _ = try daemon.call(Varlink.SignIn.DeliverKeys(keys: try keySet(in: file)))
    } else {
        try runSignIn(["keys"], daemon)
    }
    let issuer = try daemon.call(Varlink.SignIn.Show()).issuer
    return invocation.answer(
        issuer?.json ?? .null,
        words: "\((issuer?.keys ?? 0).counted("key")) of \(shown(issuer?.authority ?? ""))")
}

/// What somebody else wrote there: no link is followed, nothing waited for.
private func keySet(in path: ByteString) throws -> String {
    do throws(Errno) {
        let file = try openFile(path.cString, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let bytes = try readToEnd(of: file, maximumByteCount: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    } catch { throw Failure(.failure, "\(path.shown) cannot be read: \(error)") }
}

/// The account's person signs in, if the workspace has an issuer.
func signIn(
    _ invocation: Invocation, as account: String, objectID: String? = nil, to daemon: Daemon
) throws {
    guard try daemon.hasIssuer() else { return }
    var words = ["login", "--account", account]
    if let objectID { words += ["--oid", objectID] }
    if invocation.arguments.has("device-code") {
        try invocation.refuse(["no-browser"], with: "device-code")
        words.append("--device-code")
    }
    if invocation.arguments.has("no-browser") { words.append("--no-browser") }
    try runSignIn(words, daemon)
}

extension Daemon {
    /// False for an earlier daemon, too.
    fileprivate func hasIssuer() throws(Failure) -> Bool {
        do throws(Failure) { return try call(Varlink.SignIn.Show()).issuer != nil } catch {
            guard error.kind == "InterfaceNotFound" else { throw error }
            return false
        }
    }
}

/// Its words for the person are on standard error, and why it failed on standard output.
private func runSignIn(_ words: [String], _ daemon: Daemon) throws {
    let socket = Places.current.existingSocket(of: daemon.name)
    let argv = [companion("mamd-signin")] + (words + ["--socket", socket]).map { ByteString($0) }
    let (json, end): (JSONValue?, ProcessEnd)
    do throws(Errno) { (json, end) = try jsonOutput(of: argv) } catch {
        guard error == .noEntry else {
            throw Failure(.failure, "\(argv[0].shown), which signs in, does not start: \(error)")
        }
        throw Failure(
            .failure, "mamd-signin, the program that signs in, is not installed",
            next: "apt install mamd-signin")
    }
    guard end != .exited(0) else { return }
    let reason = json?.object?["error"]?.text.map { Message(known: shown($0)) }
    throw Failure(ExitStatus(end), "not signed in: \(reason ?? Message(known: "\(end)"))")
}
