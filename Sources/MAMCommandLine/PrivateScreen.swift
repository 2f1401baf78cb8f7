// A screen for what must leave no trace: the terminal's other one, whose lines it does not keep.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// The terminal that shows its other screen; -1: none. A signal handler has to find it without a
/// lock.
// Set before the handlers are installed and read only by them, in this one-threaded program.
nonisolated(unsafe) private var coveredTerminal: Int32 = -1

/// The terminal's other screen, in place of all that it showed before.
package struct PrivateScreen {
    private let terminal: Descriptor
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether there is a terminal that has one.
    package static var isOffered: Bool {
        isatty(STDIN_FILENO) == 1 && Style.hasScreen(STDIN_FILENO)
    }

    /// Clears and leaves it at the end, also on signals that end the program. It cannot be stopped
    /// meanwhile: the shell would write below what it shows.
    package static func run<Value>(_ body: (PrivateScreen) throws -> Value) throws -> Value {
        let screen = PrivateScreen(terminal: try openFile("/dev/tty", O_RDWR | O_NOCTTY))
        coveredTerminal = screen.terminal.raw
        let handlers = signals.map { signal($0, leaveAndRaise) }
        let stop = signal(SIGTSTP, SIG_IGN)
        defer {
            leave(screen.terminal.raw)
            for (number, handler) in zip(signals, handlers) { signal(number, handler) }
            signal(SIGTSTP, stop)
            coveredTerminal = -1
        }
        screen.write("\u{1B}[?1049h")
        screen.clear()
        return try body(screen)
    }

    package func clear() { write("\u{1B}[H\u{1B}[2J") }

    package func show(_ bytes: UnsafeRawBufferPointer) {
        try? writeAll(bytes, to: terminal.raw)
    }

    /// Asks for a line, with echo, since the screen forgets it.
    package func ask(_ prompt: Message) throws -> SecretBuffer {
        let line = try SecretBuffer()
        write("\(prompt.translated): ")
        try line.readLine(from: terminal.raw)
        return line
    }

    private func write(_ text: String) { Array(text.utf8).withUnsafeBytes { show($0) } }
}

/// Only calls that are allowed in a signal handler.
private func leave(_ terminal: Int32) {
    let sequence: StaticString = "\u{1B}[H\u{1B}[2J\u{1B}[?1049l"
    _ = write(terminal, sequence.utf8Start, sequence.utf8CodeUnitCount)
}

private func leaveAndRaise(_ number: Int32) {
    leave(coveredTerminal)
    signal(number, SIG_DFL)
    raise(number)
}
