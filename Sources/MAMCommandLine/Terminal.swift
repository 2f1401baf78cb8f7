// Asking for a secret on the terminal, without echo.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// The terminal's settings while echo is off: a signal handler has to find them without a lock.
// Set before the handlers are installed and read only by them, in this one-threaded program.
nonisolated(unsafe) private var settingsToRestore = termios()
nonisolated(unsafe) private var silentSettings = termios()

/// Prompts on the controlling terminal.
package enum Terminal {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]

    /// Asks once. Restores echo on return and on signals that end or stop the program; turns it off
    /// again on SIGCONT.
    package static func ask(_ prompt: Message) throws -> SecretBuffer {
        let terminal = try openFile("/dev/tty", O_RDWR | O_NOCTTY)
        let secret = try SecretBuffer()
        write("\(prompt.translated): ", to: terminal)
        try withoutEcho {
            try secret.readLine(from: terminal.raw)
        }
        write("\n", to: terminal)
        return secret
    }

    /// Asks for a line that is not secret, with echo. Throws at the end of input, which answers
    /// nothing.
    package static func askOpenly(_ prompt: Message) throws -> ByteString {
        let terminal = try openFile("/dev/tty", O_RDWR | O_NOCTTY)
        write("\(prompt.translated): ", to: terminal)
        // A terminal returns one line per read, of at most 4096 bytes.
        var line = [UInt8](repeating: 0, count: 4096)
        let count = try retrying { read(terminal.raw, &line, line.count) }
        guard count > 0 else {
            write("\n", to: terminal)
            throw Failure.inputEnded
        }
        return ByteString(Array(line[..<count].prefix { $0 != UInt8(ascii: "\n") }))
    }

    private static func withoutEcho(_ body: () throws -> Void) throws {
        guard tcgetattr(STDIN_FILENO, &settingsToRestore) == 0 else { throw Errno.current }
        silentSettings = settingsToRestore
        silentSettings.c_lflag &= ~tcflag_t(ECHO)
        let handlers = signals.map { signal($0, setEcho) }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settingsToRestore)
            for (number, handler) in zip(signals, handlers) { signal(number, handler) }
        }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silentSettings) == 0 else { throw Errno.current }
        try body()
    }

    private static func write(_ text: String, to terminal: Descriptor) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(terminal.raw, $0.baseAddress, $0.count) }
    }
}

extension Failure {
    static var inputEnded: Failure { Failure("the input ended before an answer") }
}

/// Only calls that are allowed in a signal handler.
private func setEcho(_ number: Int32) {
    // The shell restores its terminal settings on job control: turn echo off again.
    guard number != SIGCONT else {
        signal(SIGTSTP, setEcho)
        tcsetattr(STDIN_FILENO, TCSANOW, &silentSettings)
        return
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &settingsToRestore)
    signal(number, SIG_DFL)
    raise(number)
}
