// What ends a verb, and what is printed.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Why a verb failed, and what to do next.
struct Failure: Error {
    let status: ExitStatus
    let message: String
    let next: String?

    init(_ status: ExitStatus, _ message: String, next: String? = nil) {
        (self.status, self.message, self.next) = (status, message, next)
    }

    func report(isJSON: Bool) {
        printError("mamfleet: \(message.onOneLine)")
        if let next { printError("  try: \(next.onOneLine)") }
        guard isJSON else { return }
        printJSON([
            "error": [
                "status": .integer(Int64(status.rawValue)), "message": .string(message),
                "next": next.map { .string($0) } ?? .null,
            ]
        ])
    }
}

// A reader that has gone ends the program by SIGPIPE.
func printOut(_ text: String) { try? writeAll(Array("\(text)\n".utf8), to: STDOUT_FILENO) }
func printError(_ text: String) { try? writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO) }

func printJSON(_ value: JSONValue) {
    try? writeAll(value.encoded(pretty: true) + [0x0A], to: STDOUT_FILENO)
}

/// A line on a terminal that is replaced by the next one; it is shown nowhere else.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var next = Deadline(milliseconds: 300)
    private var isOnScreen = false

    mutating func show(_ text: @autoclosure () -> String) {
        guard isShown, next.hasPassed else { return }
        next = Deadline(milliseconds: 100)
        isOnScreen = true
        let line = "\r\u{1B}[K\(text())"
        _ = line.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
    }

    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        _ = write(2, "\r\u{1B}[K", 4)
    }
}
