// What a signal must not leave behind: the name of a file that is not finished.

internal import Glibc
internal import MAMSystem

/// The directory, and the name in it while there is one: a signal handler has to find them without
/// a lock.
// Written by this one-threaded program while the handlers are not installed, and read only by them.
nonisolated(unsafe) private var unfinishedDirectory: Int32 = -1
nonisolated(unsafe) private let unfinishedName = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

/// The one file that has a name before it is whole.
enum Unfinished {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// From now on, a signal that ends the program removes this name.
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

    /// What was to be ignored, as under nohup, is ignored on.
    private static func handle(by handler: sighandler_t?) {
        for number in signals {
            let before = signal(number, SIG_IGN)
            if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, handler)
            }
        }
    }

    /// A signal that comes meanwhile waits.
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

/// Only calls that are allowed in a signal handler.
private func removeAndRaise(_ number: Int32) {
    unlinkat(unfinishedDirectory, unfinishedName, 0)
    signal(number, SIG_DFL)
    raise(number)
}
