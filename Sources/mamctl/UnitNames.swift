// The instances of systemd's units that have a workspace's name.

internal import Glibc
internal import MAMPlaces
internal import MAMSystem

struct UnitNames {
    private let name: WorkspaceName

    init(of name: WorkspaceName) { self.name = name }

    static var systemctl: [String] {
        ["systemctl"] + (geteuid() == 0 ? [] : ["--user"])
    }

    private static let templates: Set<Substring> = [
        "mamd", "mamd-unlock", "mamfleet", "mamd-verify", "mamd-keys", "mamd-refresh",
    ]

    /// `mamd@NAME.service`, `mamd-verify@NAME.timer`, and their like.
    private func isOurs(_ unit: String) -> Bool {
        guard let at = unit.firstIndex(of: "@") else { return false }
        return Self.templates.contains(unit[..<at]) && unit[at...].hasPrefix("@\(name).")
    }

    /// Those that start with the machine or a login: links of the manager's, which need no manager
    /// that runs.
    var enabled: [String] {
        let links = Self.directories.flatMap { directory in
            names(in: directory).filter { $0.hasSuffix(".wants") }
                .flatMap { names(in: "\(directory)/\($0)") }
        }
        return Set(links.filter(isOurs)).sorted()
    }

    /// Drop-ins of these instances alone.
    private var dropIns: [String] {
        Self.directories.flatMap { directory in
            names(in: directory).filter { isOurs($0) && $0.hasSuffix(".d") }
                .map { "\(directory)/\($0)" }
        }
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

private func names(in directory: String) -> [String] {
    ((try? entries(of: ByteString(directory))) ?? []).compactMap(\.text)
}
