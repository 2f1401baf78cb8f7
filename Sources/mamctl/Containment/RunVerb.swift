// `run`: runs a command whose files belong to an identity.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Runs the command under a supervisor with the identity, and exits as the command does.
func runCommand(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("contained") {
        try invocation.refuse(["identity", "unmanaged", "trusted"], with: "contained")
        return try runContained(invocation)
    }
    for option in ["network", "nested", "discard-output"]
    where invocation.arguments.has(option) {
        throw invocation.misuse("--\(option) needs --contained")
    }
    if invocation.arguments.has("trusted") {
        try invocation.refuse(["identity", "unmanaged"], with: "trusted")
        return try runTrusted(invocation)
    }
    if invocation.arguments.has("account") {
        throw invocation.misuse("--account needs --contained or --trusted")
    }
    guard let identity = try invocation.arguments.text("identity") else {
        throw invocation.misuse("--identity, --contained or --trusted is missing")
    }
    let command = invocation.operands
    let supervisor = try supervisor(of: command, for: identity, invocation)
    finish(supervisor, command)
}

/// Forks the supervisor, which inherits this process's identity; the daemon records that at the
/// second call. A separate function, so that the connection is closed before the command starts.
private func supervisor(
    of command: [ByteString], for identity: String, _ invocation: Invocation
) throws -> SupervisedCommand {
    let daemon = try invocation.daemon()
    let subject: Message = "identity '\(shown(identity))'"
    try daemon.call(
        Varlink.Identity.SetProcessIdentity(
            identity: identity, unmanaged: invocation.mayBeUnmanaged), about: subject)
    let supervisor: SupervisedCommand
    do throws(Errno) { supervisor = try SupervisedCommand(command) } catch {
        throw Failure(command[0], error)
    }
    try daemon.call(Varlink.Identity.SetProcessIdentity(), about: subject)
    return supervisor
}
