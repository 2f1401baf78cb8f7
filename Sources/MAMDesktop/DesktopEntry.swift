// One desktop entry: a program that the desktop can start.

internal import Glibc
package import MAMSystem

private let main = "Desktop Entry"

package struct DesktopEntry: Sendable {
    /// Its name among all, without `.desktop`.
    package let id: ByteString
    package let path: ByteString
    package let file: KeyFile

    package init(id: ByteString, path: ByteString, file: KeyFile) {
        (self.id, self.path, self.file) = (id, path, file)
    }

    package func value(_ key: String) -> ByteString? {
        file.value(key, in: main)?.unescapedValue
    }

    package var name: ByteString { value("Name") ?? id }
    /// As it is written.
    package var commandLine: ByteString? { file.value("Exec", in: main) }
    package var types: [ByteString] { file.value("MimeType", in: main)?.listedValues ?? [] }
    package var needsTerminal: Bool { isTrue("Terminal") }
    package var isProgram: Bool { value("Type")?.text == "Application" && !isTrue("Hidden") }

    /// Whether the program is there that must be, if the entry names one.
    package var isInstalled: Bool {
        guard let program = value("TryExec") else { return true }
        if program.bytes.contains(UInt8(ascii: "/")) { return access(program.cString, X_OK) == 0 }
        let path = getenv("PATH").map { ByteString(cString: $0) } ?? ByteString("/usr/bin:/bin")
        return path.bytes.split(separator: UInt8(ascii: ":")).contains { directory in
            access(ByteString(Array(directory)).appending(program).cString, X_OK) == 0
        }
    }

    private func isTrue(_ key: String) -> Bool { value(key)?.text == "true" }

    /// The command lines that open the files; nil if the entry has none, or a wrong one.
    package func commands(opening files: [ByteString]) -> [[ByteString]]? {
        guard let line = commandLine, let words = words(ofCommandLine: line), !words.isEmpty
        else { return nil }
        let icon = value("Icon").flatMap { $0.bytes.isEmpty ? nil : $0 }
        let values = FieldValues(files: files, name: name, icon: icon, path: path)
        return MAMDesktop.commands(from: words, values)
    }
}
