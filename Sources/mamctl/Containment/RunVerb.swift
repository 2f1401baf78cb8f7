// `run`: a command whose files belong to an identity; `run --trusted`: one that may read what is
// only for contained ones.

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

/// Runs the command, and exits as it does. The daemon decides whether it may be trusted.
func runTrusted(_ invocation: Invocation) throws -> ExitStatus {
    var command = invocation.operands
    guard command[0].bytes.first == UInt8(ascii: "/") else {
        let name = command[0].shown
        throw invocation.misuse("--trusted needs the program's absolute path, not '\(name)'")
    }
    let program: Descriptor
    do throws(Errno) { program = try openFile(command[0].cString, openPathOnly) } catch {
        endWithout(command, error)
    }
    // Without links, so that what is executed is what the daemon has looked at.
    command[0] = try naming(command[0]) { () throws(Errno) in
        try withExtendedLifetime(program) { () throws(Errno) in try currentPath(of: program.raw) }
    }
    let supervisor = try trustedSupervisor(of: command, program, invocation)
    finish(supervisor, command)
}

/// A separate function, so that the connection is closed before the command starts.
private func trustedSupervisor(
    of command: [ByteString], _ program: Descriptor, _ invocation: Invocation
) throws -> SupervisedCommand {
    let daemon = try invocation.daemon()
    dropVariablesWithCode()
    let supervisor: SupervisedCommand
    do throws(Errno) { supervisor = try SupervisedCommand(command) } catch {
        throw Failure(command[0], error)
    }
    let account = try invocation.arguments.text("account")
    try daemon.call(
        Varlink.Identity.Trust(account: account, programDescriptor: 0, processDescriptor: 1),
        descriptors: [program, try supervisor.descriptor()],
        about: "program '\(command[0].shown)'")
    return supervisor
}

/// Leaves the variables that name the person, the language, the terminal and the session. Others
/// lead code into programs: the loader's, those of libraries and of interpreters, the path.
private func dropVariablesWithCode() {
    let kept: Set = [
        "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "DISPLAY",
        "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
    ]
    var dropped: [ByteString] = []
    var next = environ
    while let entry = next.pointee {
        let name = ByteString(cString: entry).bytes.prefix { $0 != UInt8(ascii: "=") }
        let text = String(decoding: name, as: UTF8.self)
        if !kept.contains(text), !text.hasPrefix("LC_"), !text.hasPrefix("XDG_") {
            dropped.append(ByteString(Array(name)))
        }
        next = next.advanced(by: 1)
    }
    for name in dropped { unsetenv(name.cString) }
    setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1)
}
