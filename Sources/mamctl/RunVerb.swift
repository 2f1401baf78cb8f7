// `run`: a command whose files belong to an identity.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Runs the command below a keeper that has the identity, and ends as the command does.
func runCommand(_ invocation: Invocation) throws -> ExitStatus {
    guard let identity = try invocation.arguments.text("identity") else {
        throw Failure.usage(invocation.verb, "--identity is missing")
    }
    let command = invocation.operands
    let keeper = try keeper(of: command, for: identity, invocation)
    do throws(Errno) { end(as: try keeper.run()) } catch {
        printError("mamctl: \(command[0].shown): \(error)")
        // As shells and env(1) do.
        exit(error == .noEntry ? 127 : 126)
    }
}

/// A child has what its parent has when it is forked, and keeps it: the daemon writes that down at
/// the second call. A function of its own, so that the connection is closed before the command
/// starts.
private func keeper(
    of command: [ByteString], for identity: String, _ invocation: Invocation
) throws -> KeptCommand {
    let daemon = try invocation.daemon()
    let subject = "identity '\(ByteString(identity).shown)'"
    _ = try daemon.call(
        "Identity.SetProcessIdentity",
        ["identity": .string(identity), "unmanaged": invocation.mayBeUnmanaged], about: subject)
    let keeper: KeptCommand
    do throws(Errno) { keeper = try KeptCommand(command) } catch {
        throw Failure(command[0], error)
    }
    _ = try daemon.call("Identity.SetProcessIdentity", ["identity": .null], about: subject)
    return keeper
}
