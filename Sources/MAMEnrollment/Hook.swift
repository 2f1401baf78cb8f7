// Notifies the administrator's programs.

internal import Glibc
package import MAMModel
internal import MAMPolicy
package import MAMSettings
package import MAMSystem

/// The programs in `Hooks`.
package struct Hooks: Sendable {
    package enum Name: String, Sendable, CaseIterable {
        case wipe, enrollment, restart, addAccount, checkIn
    }

    private let settings: Settings.Hooks
    private let log: Log

    package init(_ settings: Settings.Hooks, _ log: Log) {
        self.settings = settings
        self.log = log
    }

    /// `EX_TEMPFAIL`: a CheckIn hook's exit status when the network is down.
    package static let networkFailure: Int32 = 75

    /// Runs a hook with the facts as one JSON object on its standard input, and waits for its end;
    /// nil if there is none. Its output goes to the log.
    ///
    /// Never call this while holding a lock.
    @discardableResult
    package func run(_ name: Name, _ facts: [String: JSONValue]) -> CommandResult? {
        guard let command = command(name) else { return nil }
        var facts = facts
        facts["hook"] = .string(name.rawValue)
        let result = runCommand(
            command, input: JSONValue.object(facts).encoded() + [0x0A], withErrors: true,
            timeoutSeconds: settings.timeoutSeconds)
        report(name, command[0], result)
        return result
    }

    /// Runs a hook without waiting.
    package func tell(_ name: Name, _ facts: [String: JSONValue]) {
        guard command(name) != nil else { return }
        do throws(Errno) { try startThread(named: "hook") { run(name, facts) } } catch {
            log.error("hook \(name.rawValue) could not be started: \(error)")
        }
    }

    private func command(_ name: Name) -> [String]? {
        switch name {
        case .wipe: settings.wipe
        case .enrollment: settings.enrollment
        case .restart: settings.restart
        case .addAccount: settings.addAccount
        case .checkIn: settings.checkIn
        }
    }

    private func report(_ name: Name, _ program: String, _ result: CommandResult) {
        if case .ended(_, let output) = result {
            for line in output.split(separator: 0x0A).prefix(20) {
                // Escaped, because a log consists of lines.
                log.info("hook \(name.rawValue): \(ByteString(Array(line)).shown)")
            }
        }
        if case .ended(.exited(0), _) = result { return }
        log.warning("hook \(name.rawValue) (\(program)) \(result.description)")
    }
}
