// A failure: what failed and why, what to do next, and the exit status.

package import MAMModel
package import MAMWire
internal import MAMWords

/// The error that ends a program, or a verb of it.
package struct Failure: Error {
    package let status: ExitStatus
    package let message: Message
    /// A command to run, or a hint.
    package let next: Message?
    /// The daemon runs but does not answer.
    package var isSilence = false
    /// The name of the daemon's error, without its interface's; nil for other failures.
    package var kind: String?
    /// Why it is refused, where the daemon says so.
    package var refusalCause: RefusalCause?
    /// Nothing is left to be tried again: the account is locked out or wiped.
    package var isFinal = false
    /// The system call's error that is the reason.
    package var cause: Errno?

    package init(_ status: ExitStatus, _ message: Message, next: Message? = nil) {
        (self.status, self.message, self.next) = (status, message, next)
    }

    package init(_ message: Message) { self.init(.failure, message) }

    /// Prints to standard error, and with `--json` also to standard output.
    package func report(by program: String, isJSON: Bool) {
        printError("\(Style.error.red("\(program):")) \(message.translated.onOneLine)")
        if let next { printError("  try: \(next.translated.onOneLine)") }
        if isJSON { printJSON(["error": json]) }
    }

    package var json: JSONValue {
        [
            "status": JSONValue(status.rawValue), "message": .string(message.english),
            "next": JSONValue(next?.english),
        ]
    }
}
