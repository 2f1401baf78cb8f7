// The instances of systemd's units that have a workspace's name.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem

struct UnitNames {
    private let name: WorkspaceName

    init(of name: WorkspaceName) { self.name = name }

    static var systemctl: [String] {
        ["systemctl"] + (geteuid() == 0 ? [] : ["--user"])
    }

    private static let templates: Set<Substring> = [
        "mamd", "mamd-unlock", "mamfleet", "mamd-verify", "mamd-keys", "mamd-fetch-keys",
        "mamd-refresh",
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
        return ["\(Places.current.configurationRoot.dropLast("/mamd".count))/systemd/user"]
    }

    /// Has the unit started when the disk of the backing directory is attached, too: the disk's
    /// mount wants it. Does nothing for a disk that is always there, or without an enabled unit.
    func follow(diskOf backing: ByteString) {
        let unit = "mamd@\(name).service"
        guard let place = Self.disk(of: backing, besides: Places.current.configuration(of: name)),
            let path = place.text,
            let escaped = output(of: ["systemd-escape", "--path", "--suffix=mount", "--", path]),
            let target = Self.directories.lazy.flatMap({ directory in
                names(in: directory).filter { $0.hasSuffix(".target.wants") }
                    .compactMap { mamctl.linkTarget("\(directory)/\($0)/\(unit)") }
            }).first, let directory = Self.directories.first
        else { return }
        let mount = String(decoding: escaped.filter { $0 != 0x0A }, as: UTF8.self)
        let wants = "\(directory)/\(mount).wants"
        guard (try? makeDirectories(wants, mode: 0o755)) != nil,
            symlink(target, "\(wants)/\(unit)") == 0
        else { return }
        _ = output(of: Self.systemctl + ["daemon-reload"])
    }

    /// Where the disk is mounted; nil if the settings are on it.
    private static func disk(of backing: ByteString, besides settings: String) -> ByteString? {
        guard let table = try? MountTable(),
            let one = try? openFile(backing.cString, openPathOnly),
            let other = try? openFile(settings, openPathOnly),
            let disk = try? table.mount(of: one.raw), let home = try? table.mount(of: other.raw),
            disk.id != home.id
        else { return nil }
        return ByteString(disk.mountPoint)
    }

    /// `mamfleet` writes to the directory that a rename moves. Does not stop one run by hand.
    func stopFleet() {
        _ = output(of: Self.systemctl + ["stop", "mamfleet@\(name).service"])
    }

    /// Returns the commands that remain, as where no manager answers.
    func rename(to new: WorkspaceName) -> [String] {
        func renamed(_ text: String) -> String { text.replacing("@\(name).", with: "@\(new).") }
        let commands = enabled.flatMap { [["disable", "--now", $0], ["enable", renamed($0)]] }
        return Self.failures(of: commands) + dropIns.map { "mv \($0) \(renamed($0))" }
    }

    /// Like ``rename(to:)``.
    func remove() -> [String] {
        Self.failures(of: enabled.map { ["disable", "--now", $0] }) + dropIns.map { "rm -r \($0)" }
    }

    private static func failures(of commands: [[String]]) -> [String] {
        commands.map { systemctl + $0 }.filter { output(of: $0) == nil }
            .map { $0.joined(separator: " ") }
    }
}

private func names(in directory: String) -> [String] {
    ((try? entries(of: ByteString(directory))) ?? []).compactMap(\.text)
}
