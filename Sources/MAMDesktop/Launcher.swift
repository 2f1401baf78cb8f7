// Desktop entries that start a program contained.

package import MAMSystem

private let main = "Desktop Entry"

/// A desktop entry of ours.
package struct Launcher: Sendable {
    package let entry: DesktopEntry
    package let app: ByteString
    package let owner: Owner

    /// For whom it starts the program.
    package struct Owner: Sendable, Equatable {
        package let workspace: ByteString
        package let account: ByteString

        package init(workspace: ByteString, account: ByteString) {
            (self.workspace, self.account) = (workspace, account)
        }
    }

    /// Nil for an entry of somebody else.
    package init?(_ entry: DesktopEntry) {
        guard let workspace = entry.value("X-Mamd-Workspace") else { return nil }
        self.entry = entry
        app = entry.value("X-Mamd-App") ?? entry.id
        owner = Owner(
            workspace: workspace, account: entry.value("X-Mamd-Account") ?? ByteString(""))
    }

    /// The name of the file that starts `app`.
    package static func fileName(app: ByteString, _ owner: Owner) -> ByteString {
        ByteString(
            Array("mamd-".utf8) + owner.workspace.bytes + Array("-".utf8) + app.bytes
                + Array(".desktop".utf8))
    }

    /// The same program, contained. Nil if the entry has no command line: only the session bus
    /// could start it, outside.
    package static func file(for entry: DesktopEntry, _ owner: Owner) -> KeyFile? {
        guard entry.commandLine != nil else { return nil }
        var file = entry.file
        for group in file.groupNames { contain(&file, group, owner) }
        // With it the desktop asks the session bus to start the program, outside.
        file.set("DBusActivatable", to: nil, in: main)
        file.set("X-Mamd-Workspace", to: owner.workspace.asValue, in: main)
        file.set("X-Mamd-Account", to: owner.account.asValue, in: main)
        file.set("X-Mamd-App", to: entry.id.asValue, in: main)
        return file
    }

    private static func contain(_ file: inout KeyFile, _ group: ByteString, _ owner: Owner) {
        let isMain = group == ByteString(main)
        guard isMain || group.bytes.starts(with: "Desktop Action ".utf8) else { return }
        let start = commandStart(owner).bytes
        let suffix = Array(" (".utf8) + owner.account.asValue.bytes + Array(")".utf8)
        file.change(in: group) { key, value in
            if key.text == "Exec" { return ByteString(start + value.bytes) }
            let isName = key.text == "Name" || key.bytes.starts(with: "Name[".utf8)
            return isMain && isName ? ByteString(value.bytes + suffix) : value
        }
    }

    /// What stands before the program's own command line, whose quotes and field codes stay.
    private static func commandStart(_ owner: Owner) -> ByteString {
        ByteString(
            Array("mamctl run --contained --discard-output --workspace ".utf8)
                + owner.workspace.asCommandLineWord.bytes + Array(" --account ".utf8)
                + owner.account.asCommandLineWord.bytes + Array(" -- ".utf8))
    }
}
