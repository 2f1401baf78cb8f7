// Removes an unfinished file's temporary name on terminating signals.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// The directory and the name, if there is one: the signal handler must read them without a lock.
// Written only while the handlers are not installed, and read only by them; the program has one
// thread.
nonisolated(unsafe) private var unfinishedDirectory: Int32 = -1
nonisolated(unsafe) private let unfinishedName = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

/// The unfinished file that has a temporary name.
enum Unfinished {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Terminating signals remove this name from now on.
    static func begin(_ name: ByteString, in directory: Descriptor) {
        strncpy(unfinishedName, name.cString, 255)
        unfinishedName[255] = 0
        unfinishedDirectory = directory.raw
        handle(by: removeAndRaise)
    }

    static func end() {
        guard unfinishedDirectory >= 0 else { return }
        handle(by: SIG_DFL)
        unfinishedDirectory = -1
    }

    /// Signals that are ignored, as under nohup(1), stay ignored.
    private static func handle(by handler: sighandler_t?) {
        for number in signals {
            let before = signal(number, SIG_IGN)
            if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, handler)
            }
        }
    }

    /// Blocks the signals meanwhile.
    static func withoutSignals<Value>(
        _ body: () throws(Errno) -> Value
    ) throws(Errno) -> Value {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        for number in signals { sigaddset(&blocked, number) }
        sigprocmask(SIG_BLOCK, &blocked, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        return try body()
    }
}

/// Uses only async-signal-safe calls.
private func removeAndRaise(_ number: Int32) {
    unlinkat(unfinishedDirectory, unfinishedName, 0)
    signal(number, SIG_DFL)
    raise(number)
}
