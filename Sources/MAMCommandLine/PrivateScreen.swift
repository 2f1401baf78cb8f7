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
        send("\u{1B}[?1049h", to: screen.terminal.raw)
        screen.clear()
        return try body(screen)
    }

    package func clear() { erase(terminal.raw) }

    package func show(_ bytes: UnsafeRawBufferPointer) {
        try? writeAll(bytes, to: terminal.raw)
    }

    /// Asks for a line, with echo, since the screen forgets it. What was typed before, such as a
    /// second Enter, is no answer; nor is the end of input, at which it throws.
    package func ask(_ prompt: Message) throws -> SecretBuffer {
        let line = try SecretBuffer()
        tcflush(terminal.raw, TCIFLUSH)
        write("\(prompt.translated): ")
        guard try line.readLine(from: terminal.raw) else { throw Failure.inputEnded }
        return line
    }

    private func write(_ text: String) { Array(text.utf8).withUnsafeBytes { show($0) } }
}

/// Without ED of a whole screen: a terminal that has no other one keeps the lines that go by it.
private func erase(_ terminal: Int32) {
    send("\u{1B}[H\u{1B}[K\u{1B}[2H\u{1B}[J\u{1B}[H", to: terminal)
}

/// Only calls that are allowed in a signal handler. What is typed and not read may be words, which
/// the shell would run and remember.
private func leave(_ terminal: Int32) {
    erase(terminal)
    send("\u{1B}[?1049l", to: terminal)
    tcflush(terminal, TCIFLUSH)
}

private func send(_ sequence: StaticString, to terminal: Int32) {
    _ = write(terminal, sequence.utf8Start, sequence.utf8CodeUnitCount)
}

private func leaveAndRaise(_ number: Int32) {
    leave(coveredTerminal)
    signal(number, SIG_DFL)
    raise(number)
}
