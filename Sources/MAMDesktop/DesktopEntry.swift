// One desktop entry: a program that the desktop can start.

internal import Glibc
package import MAMModel
internal import MAMSystem

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
        value("TryExec").map { executable($0) != nil } ?? true
    }

    /// The program that it starts: a path, as it is written or found in `PATH`. Nil if there is
    /// none. `env` with variables before it does not count.
    package var program: ByteString? {
        guard var words = commandLine.flatMap(words(ofCommandLine:)) else { return nil }
        if words.first?.lastComponent.text == "env" {
            words.removeFirst()
            words = Array(words.drop { $0.bytes.contains(UInt8(ascii: "=")) })
        }
        return words.first.flatMap(executable)
    }

    private func executable(_ program: ByteString) -> ByteString? {
        let isPath = program.bytes.contains(UInt8(ascii: "/"))
        let path = getenv("PATH").map { ByteString(cString: $0) } ?? ByteString("/usr/bin:/bin")
        let places =
            isPath
            ? [program]
            : path.bytes.split(separator: UInt8(ascii: ":"))
                .map { ByteString(Array($0)).appending(program) }
        return places.first { access($0.cString, X_OK) == 0 }
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
