// Desktop entries that start a program contained.

package import MAMModel
internal import MAMSystem

private let main = "Desktop Entry"

/// A desktop entry of ours.
package struct Launcher: Sendable {
    package let entry: DesktopEntry
    package let app: ByteString
    package let owner: Owner
    /// It has the name of the entry that it was made of, which it hides from the desktop.
    package let isShadow: Bool

    /// For whom it starts the program.
    package struct Owner: Sendable, Equatable {
        package let workspace: ByteString
        /// Empty: the account of the user who starts it.
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
        isShadow = entry.id == app
    }

    /// Whether it may start the program for somebody.
    package func serves(_ other: Owner) -> Bool {
        owner.workspace == other.workspace
            && (owner.account == other.account || owner.account.bytes.isEmpty)
    }

    /// The names that the file which starts `app` may have: a second account's needs the second.
    package static func fileNames(app: ByteString, _ owner: Owner) -> [ByteString] {
        let start = Array("mamd-".utf8) + owner.workspace.bytes + Array("-".utf8) + app.bytes
        let account = Array("-".utf8) + owner.account.bytes.flatMap(namePart)
        return [start, start + account].map { ByteString($0 + Array(".desktop".utf8)) }
    }

    /// Any byte of an account's name, in the name of a file that stands in lists of the desktop's.
    private static func namePart(_ byte: UInt8) -> [UInt8] {
        let isPlain =
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "@.-".utf8.contains(byte)
        let digits = Array("0123456789abcdef".utf8)
        return isPlain
            ? [byte] : [UInt8(ascii: "_"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The name of the file that hides `app` from the desktop.
    package static func shadowName(app: ByteString) -> ByteString {
        ByteString(app.bytes + Array(".desktop".utf8))
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
        if !owner.account.bytes.isEmpty {
            file.set("X-Mamd-Account", to: owner.account.asValue, in: main)
        }
        file.set("X-Mamd-App", to: entry.id.asValue, in: main)
        return file
    }

    private static func contain(_ file: inout KeyFile, _ group: ByteString, _ owner: Owner) {
        let isMain = group == ByteString(main)
        guard isMain || group.bytes.starts(with: "Desktop Action ".utf8) else { return }
        let start = commandStart(owner).bytes
        let whose = owner.account.bytes.isEmpty ? owner.workspace : owner.account
        let suffix = Array(" (".utf8) + whose.asValue.bytes + Array(")".utf8)
        file.change(in: group) { key, value in
            if key.text == "Exec" { return ByteString(start + value.bytes) }
            let isName = key.text == "Name" || key.bytes.starts(with: "Name[".utf8)
            return isMain && isName ? ByteString(value.bytes + suffix) : value
        }
    }

    /// What stands before the program's own command line, whose quotes and field codes stay.
    private static func commandStart(_ owner: Owner) -> ByteString {
        let account =
            owner.account.bytes.isEmpty
            ? [] : Array(" --account ".utf8) + owner.account.asCommandLineWord.bytes
        return ByteString(
            Array("mamctl run --contained --discard-output --workspace ".utf8)
                + owner.workspace.asCommandLineWord.bytes + account + Array(" -- ".utf8))
    }
}
