// `run --trusted`: a command that may read what is only for contained ones.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// Runs the command, and exits as it does. The daemon decides whether it may be trusted.
func runTrusted(_ invocation: Invocation) throws -> ExitStatus {
    var command = invocation.operands
    guard command[0].bytes.first == UInt8(ascii: "/") else {
        let name = command[0].shown
        throw Failure.usage(
            invocation.verb, "--trusted needs the program's absolute path, not '\(name)'")
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

/// Variables through which somebody else's code gets into a program: the loader's, the C library's,
/// and those of the interpreters that backup programs are written for.
private func dropVariablesWithCode() {
    let prefixes = [
        "LD_", "GCONV_PATH=", "GLIBC_TUNABLES=", "BASH_ENV=", "ENV=", "PERL5", "PYTHON",
    ]
    var names: [ByteString] = []
    var next = environ
    while let entry = next.pointee {
        let bytes = ByteString(cString: entry).bytes
        if prefixes.contains(where: { bytes.starts(with: $0.utf8) }) {
            names.append(ByteString(Array(bytes.prefix { $0 != UInt8(ascii: "=") })))
        }
        next = next.advanced(by: 1)
    }
    for name in names { unsetenv(name.cString) }
}
