// The units of the office's user: one signs the time and sends what is new, one stores reports.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct FleetOfficeUnits {
    /// The name of the organisation's directory, which the units have below the home directory.
    private let name: String

    /// Nil for a directory elsewhere, or of a name that no unit has.
    init?(of directory: ByteString, below home: ByteString) {
        guard geteuid() != 0,
            directory.directory == home || directory.directory == home.resolved,
            let name = directory.lastComponent.text, isName(name)
        else { return nil }
        self.name = name
    }

    private static let systemctl = ["systemctl", "--user"]

    /// The user's manager answers, and knows the units.
    var isOffered: Bool {
        geteuid() != 0 && output(of: Self.systemctl + ["cat", "mamfleet-time@.timer"]) != nil
            && output(of: Self.systemctl + ["show-environment"]) != nil
    }

    /// What ``start()`` runs.
    private var commands: [[String]] {
        // As systemd-escape(1): the units take the instance for a path.
        let instance = name.replacing("-", with: #"\x2d"#)
        return [
            Self.systemctl + [
                "enable", "--now", "mamfleet-time@\(instance).timer", "mamfleet-pull@\(instance)",
            ], ["loginctl", "enable-linger"],
        ]
    }

    /// For people to run.
    var lines: [String] {
        commands.map { $0.map { ByteString($0).asArgument }.joined(separator: " ") }
    }

    /// From now on, whether or not the user is logged in. Returns what kept them from it.
    func start() -> Failure? {
        let failed = zip(commands, lines).first { command, _ in output(of: command) == nil }
        return failed.map { command, line in
            Failure(
                .failure, "all is made, but \(command[0]) could not start the units",
                next: .verbatim(line))
        }
    }
}
