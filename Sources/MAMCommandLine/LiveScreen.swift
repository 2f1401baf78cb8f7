// A full-screen display that is redrawn until the user quits. Restores the terminal.

internal import Glibc
internal import MAMModel
internal import MAMSystem
package import MAMWire
internal import Synchronization

/// The terminal's alternate screen, without echo.
package final class LiveScreen {
    private var settings = termios()

    /// Draws immediately, then periodically and when the size changes. Ends on `q`, Ctrl-C and the
    /// termination signals.
    package static func run(
        every seconds: Double, _ signals: ScreenSignals,
        _ draw: (_ width: Int, _ height: Int) throws -> [String]
    ) throws -> ExitStatus {
        let screen = try LiveScreen()
        defer { screen.leave() }
        while true {
            let (width, height) = size()
            // Leave one line free: a full last line would scroll.
            let lines = try draw(width, height - 1).prefix(height - 1)
            show(lines.map { clipped($0, to: width) })
            if waitForEnd(signals, milliseconds: Int32(seconds * 1000)) { return .success }
        }
    }

    private init() throws(Failure) {
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw Failure(.failure, "the terminal: \(Errno.current)")
        }
        var raw = settings
        // Read Ctrl-C as a byte: as a signal it could end the program before the terminal is
        // restored.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        writeOut(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
    }

    private func leave() {
        writeOut(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// True to end; false to redraw.
    private static func waitForEnd(_ signals: ScreenSignals, milliseconds: Int32) -> Bool {
        var waiting = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals.descriptor.raw, events: Int16(POLLIN), revents: 0),
        ]
        guard withExtendedLifetime(signals, { poll(&waiting, 2, milliseconds) }) > 0 else {
            return false
        }
        if waiting[1].revents != 0 { return signals.meanEnd() }
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        guard count > 0 else { return true }
        let ends = [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4]
        return keys[..<count].contains { ends.contains($0) }
    }

    private static func size() -> (width: Int, height: Int) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 0 && size.ws_row > 1
            ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// Overwrites the screen in one write, which avoids flicker.
    private static func show(_ lines: [String]) {
        let text = lines.map { "\($0)\u{1B}[K\r\n" }.joined()
        writeOut(Array("\u{1B}[H\(text)\u{1B}[J".utf8))
    }
}

/// Waits for signals on its own thread, so that none interrupts drawing.
package final class ScreenSignals: Sendable {
    private let wakeUp: WakeUpDescriptor
    private let isEnd = Atomic<Bool>(false)

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGWINCH]

    /// Create it before any other thread: threads inherit the signal mask.
    package init() throws {
        wakeUp = try WakeUpDescriptor()
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        try startThread(named: "signals") { [self] in
            var set = Self.set
            var number: Int32 = 0
            while sigwait(&set, &number) == 0 {
                if number != SIGWINCH { isEnd.store(true, ordering: .relaxed) }
                wakeUp.signal()
            }
        }
    }

    var descriptor: Descriptor { wakeUp.descriptor }

    func meanEnd() -> Bool {
        wakeUp.clear()
        return isEnd.load(ordering: .relaxed)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}

/// The first `width` characters. Escape sequences do not count and are all kept.
func clipped(_ line: String, to width: Int) -> String {
    var result = ""
    var count = 0
    var isEscape = false
    for letter in line {
        if letter == "\u{1B}" { isEscape = true }
        if isEscape {
            result.append(letter)
            if letter.isLetter { isEscape = false }
        } else if count < width {
            result.append(letter)
            count += 1
        }
    }
    return result
}
