// The daemon's log: the journal if there is one, else standard error or a file.

internal import CShims
internal import Glibc
internal import MAMModel

/// Writes one line per message. Never contains file contents or secrets, nor anything that
/// ``rules`` scrub.
package struct Log: Sendable {
    private enum Destination: Sendable {
        case nowhere
        case journal
        case standardError
        case file(Descriptor)
    }

    private let prefix: String
    /// The journal's `MAMD_WORKSPACE` field, once known.
    private let workspace: String?
    private let destination: Destination
    /// Shared by all copies of this log.
    package let rules: LogRules

    private init(prefix: String, workspace: String? = nil, destination: Destination) {
        self.prefix = prefix
        self.workspace = workspace
        self.destination = destination
        rules = LogRules()
    }

    /// Discards everything.
    package static let silent = Log(prefix: "", destination: .nowhere)

    /// To standard error, for a daemon in the foreground.
    package static func toStandardError(prefix: String) -> Log {
        Log(prefix: prefix, destination: .standardError)
    }

    /// To the journal; without one, to the file, with a timestamp on each line.
    package static func toJournal(
        prefix: String, workspace: String, orFile file: Descriptor
    ) -> Log {
        let hasJournal = access("/run/systemd/journal/socket", W_OK) == 0
        return Log(
            prefix: prefix, workspace: workspace,
            destination: hasJournal ? .journal : .file(file))
    }

    /// Debug output, which may contain personal data; written only if ``rules`` are verbose.
    package func debug(_ message: @autoclosure () -> String) {
        if rules.isVerbose { write(LOG_DEBUG, message) }
    }

    package func info(_ message: @autoclosure () -> String) { write(LOG_INFO, message) }
    package func warning(_ message: @autoclosure () -> String) { write(LOG_WARNING, message) }
    package func error(_ message: @autoclosure () -> String) { write(LOG_ERR, message) }

    package func tell(_ event: LogEvent, _ text: () -> String) {
        write(event.priority, text, event)
    }

    /// For events that programs can cause at any rate: not written to a file, which nothing
    /// rotates.
    package func tellOften(_ event: LogEvent, _ text: () -> String) {
        if case .file = destination { return }
        write(event.priority, text, event)
    }

    private func write(
        _ priority: Int32, _ makeText: () -> String, _ event: LogEvent? = nil
    ) {
        switch destination {
        case .nowhere: break
        case .journal: send(line(makeText()), priority, event)
        case .standardError: writeLine("\(prefix): \(line(makeText()))\n", to: 2)
        case .file(let file):
            writeLine("\(timestamp()) \(prefix): \(line(makeText()))\n", to: file.raw)
        }
    }

    /// Escapes names, which may come from anywhere and are shown on terminals.
    private func line(_ text: String) -> String { rules.scrub(text).onOneLine }

    private func send(_ text: String, _ priority: Int32, _ event: LogEvent?) {
        var lines = ["MESSAGE=\(text)", "PRIORITY=\(priority)", "SYSLOG_IDENTIFIER=\(prefix)"]
        if let workspace { lines.append("MAMD_WORKSPACE=\(workspace)") }
        if let event {
            lines += ["MESSAGE_ID=\(event.id)", "MAMD_EVENT=\(event.name)"]
            lines += event.fields.map { "\($0)=\(rules.scrub($1))" }
        }
        send(lines)
    }

    private func writeLine(_ line: String, to descriptor: Int32) {
        _ = line.utf8CString.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress, $0.count - 1)
        }
    }

    private func send(_ fields: [String]) {
        let strings = fields.compactMap { strdup($0) }
        defer { strings.forEach { free($0) } }
        mam_journal_send(strings.map { UnsafePointer($0) }, Int32(strings.count))
    }
}

/// What the journal keeps of an event beside its line, and can be searched by.
package struct LogEvent: Sendable {
    /// `MESSAGE_ID`: 128 random bits.
    let id: String
    let name: String
    let priority: Int32
    let fields: [(name: String, value: String)]

    package init(
        id: String, name: String, priority: Int32, _ fields: [(name: String, value: String)]
    ) {
        (self.id, self.name, self.priority, self.fields) = (id, name, priority, fields)
    }
}

/// The current time in ISO 8601, UTC.
package func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}
