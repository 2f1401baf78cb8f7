// Lines to standard output and standard error, colours, and JSON.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import MAMWords
internal import Synchronization

private let firstOutputFailure = Mutex<Errno?>(nil)

/// The first error on writing output. The verb goes on; the exit status reports it at the end.
package var outputFailure: Errno? { firstOutputFailure.withLock { $0 } }

/// In the person's language.
package func printOut(_ text: Message) { printOut(verbatim: text.translated) }

/// What is data, or laid out already.
package func printOut(verbatim text: String) { writeOut(Array("\(text)\n".utf8)) }

package func printError(_ text: Message) { printError(verbatim: text.translated) }

package func printError(verbatim text: String) {
    try? writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO)
}

/// Writes raw bytes, without a newline.
package func writeOut(_ bytes: [UInt8]) {
    do throws(Errno) { try writeAll(bytes, to: STDOUT_FILENO) } catch {
        firstOutputFailure.withLock { $0 = $0 ?? error }
    }
}

/// Writes to standard error, without a newline.
package func writeError(_ text: String) { try? writeAll(Array(text.utf8), to: STDERR_FILENO) }

/// Ends the program as soon as the reader of its output pipe is gone, like `tail -f`: for verbs
/// that may write nothing for a long time.
package func endWithReader() {
    let mode = (try? status(of: STDOUT_FILENO))?.st_mode ?? 0
    guard mode & S_IFMT == S_IFIFO || mode & S_IFMT == S_IFSOCK else { return }
    // If the thread cannot start, the next write ends the program.
    try? startThread(named: "reader") {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) != 1 {}
        kill(getpid(), SIGPIPE)
    }
}

/// `onOneLine`: for a stream of values, one per line.
package func printJSON(_ value: JSONValue, onOneLine: Bool = false) {
    writeOut(printable(json: value.encoded(pretty: !onOneLine)) + [UInt8(ascii: "\n")])
}

/// Colours, if the terminal supports them and `NO_COLOR` is not set (https://no-color.org).
package struct Style {
    package let isColoured: Bool

    package static let output = Style(of: STDOUT_FILENO)
    package static let error = Style(of: STDERR_FILENO)

    init(of descriptor: Int32) {
        let refusal = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        isColoured = !refusal && Self.hasScreen(descriptor)
    }

    /// True for a terminal with cursor control.
    package static func hasScreen(_ descriptor: Int32) -> Bool {
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        return !isDumb && isatty(descriptor) == 1
    }

    package func red(_ text: Message) -> Message { coloured(text, "31") }
    package func green(_ text: Message) -> Message { coloured(text, "32") }
    package func yellow(_ text: Message) -> Message { coloured(text, "33") }
    package func bold(_ text: String) -> String { "\(boldMarks.start)\(text)\(boldMarks.end)" }
    /// Dims secondary text.
    package func faint(_ text: String) -> String { isColoured ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    /// The escape sequences around bold text.
    package var boldMarks: (start: String, end: String) {
        isColoured ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
    }

    private func coloured(_ text: Message, _ code: String) -> Message {
        isColoured ? "\("\u{1B}[\(code)m")\(text)\("\u{1B}[0m")" : text
    }
}
