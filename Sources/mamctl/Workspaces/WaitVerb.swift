// `wait`: waits until a workspace is mounted or an account is unlocked.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func waitForWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("unlocked") {
        try invocation.refuse(["mounted"], with: "unlocked")
    }
    guard !invocation.arguments.has("mounted") || invocation.operands.isEmpty else {
        throw invocation.misuse("--mounted takes no account")
    }
    let end = try invocation.arguments.seconds("timeout", of: invocation.verb)
        .map { Deadline(seconds: $0) }
    while let obstacle = try invocation.obstacle {
        if end?.hasPassed == true { throw obstacle }
        usleep(250_000)
    }
    if invocation.isJSON { printJSON(["waited": true]) }
    return .success
}

extension Arguments {
    /// An option's number; nil without the option.
    func seconds(_ option: String, of verb: Verb) throws -> Int? {
        guard let text = try text(option) else { return nil }
        guard let seconds = Int(text), (0...1_000_000).contains(seconds) else {
            throw Failure.usage(verb, "--\(option) takes a number of seconds")
        }
        return seconds
    }
}

extension Invocation {
    /// What to wait for; nil if nothing. Throws failures that waiting does not fix.
    fileprivate var obstacle: Failure? {
        get throws {
            let daemon: Daemon
            do throws(Failure) { daemon = try self.daemon() } catch {
                guard error.status == .unreachable else { throw error }
                return error
            }
            if arguments.has("mounted") { return nil }
            let account = try account(of: daemon)
            guard account.state != .unlocked || account.block != nil else { return nil }
            return Failure(
                .windowClosed, "\(account.label) is not unlocked",
                next: "mamctl unlock \(account.label)")
        }
    }
}
