// The instances of systemd's units that have a workspace's name.

internal import Glibc
internal import MAMPlaces
internal import MAMSystem

struct UnitNames {
    private let name: WorkspaceName

    init(of name: WorkspaceName) { self.name = name }

    private static let templates = [
        "mamd@.service", "mamd@.socket", "mamd-unlock@.service", "mamfleet@.service",
        "mamd-verify@.timer", "mamd-keys@.timer", "mamd-refresh@.timer",
    ]

    static var systemctl: [String] {
        ["systemctl"] + (geteuid() == 0 ? [] : ["--user"])
    }

    private func instance(of template: String) -> String {
        template.replacing("@", with: "@\(name)")
    }

    /// Those that start with the machine or a login: links of the manager's, which need no manager
    /// that runs.
    var enabled: [String] {
        let places = Self.directories.flatMap { directory in
            ((try? entries(of: ByteString(directory))) ?? []).compactMap(\.text)
                .filter { $0.hasSuffix(".wants") }.map { "\(directory)/\($0)" }
        }
        return Self.templates.map(instance).filter { unit in
            places.contains { (try? status(at: workingDirectory, "\($0)/\(unit)")) != nil }
        }
    }

    /// Drop-ins of this instance alone.
    var dropIns: [String] {
        Self.directories.flatMap { directory in
            Self.templates.map { "\(directory)/\(instance(of: $0)).d" }
        }.filter { access($0, F_OK) == 0 }
    }

    /// Where administrators and users have their links and drop-ins.
    private static var directories: [String] {
        guard geteuid() != 0 else { return ["/etc/systemd/system"] }
        let root = ByteString(Places.current.configurationRoot).directory.shown
        return ["\(root)/systemd/user"]
    }

    /// Returns the commands that remain if no manager answers.
    func rename(to new: WorkspaceName) -> [String] {
        let units = enabled.map { ($0, $0.replacing("@\(name).", with: "@\(new).")) }
        var remaining: [String] = []
        for (old, renamed) in units {
            let commands = [
                Self.systemctl + ["disable", "--now", old], Self.systemctl + ["enable", renamed],
            ]
            for words in commands where output(of: words) == nil {
                remaining.append(words.joined(separator: " "))
            }
        }
        return remaining
            + dropIns.map { "mv \($0) \($0.replacing("@\(name).", with: "@\(new)."))" }
    }
}
