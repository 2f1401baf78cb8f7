// `run`: a command whose files belong to an identity.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Takes the identity for this process, then becomes the command: the daemon knows it by the process id.
func runCommand(_ invocation: Invocation) throws -> ExitStatus {
    guard let identity = try invocation.arguments.text("identity") else {
        throw Failure.usage(invocation.verb, "--identity is missing")
    }
    try takeIdentity(identity, invocation)
    let command = invocation.operands
    let error = execute(command)
    printError("mamctl: \(command[0].shown): \(error)")
    // As shells and env(1) do.
    exit(error == .noEntry ? 127 : 126)
}

/// A function of its own, so that the connection is closed before the command starts.
private func takeIdentity(_ identity: String, _ invocation: Invocation) throws {
    let daemon = try invocation.daemon()
    let reply = try daemon.call(
        "Identity.SetProcessIdentity", ["identity": .string(identity)],
        about: "identity '\(ByteString(identity).shown)'")
    // What the command leaves behind when it ends cannot be told by its ancestors.
    let declaration = strdup(try reply.string("environment"))
    // The string is the environment's from now on.
    if let declaration { putenv(declaration) }
}
