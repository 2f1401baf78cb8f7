// SIGTERM and SIGINT shut the daemon down. SIGHUP makes it read its policies, or shuts it down too.

import Glibc
import MAMModel
import MAMSystem

/// Blocks the signals in all later threads, and waits for them on its own thread.
struct StopSignals {
    private static let numbers = [SIGTERM, SIGINT, SIGHUP]

    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    /// Runs the action once, at the first of the signals. SIGHUP is one of them without `onHangUp`,
    /// or on a terminal, which sends it when closed.
    func onStop(
        _ action: @escaping @Sendable () -> Void, onHangUp: (@Sendable () -> Void)? = nil
    ) throws(Errno) {
        try startThread(named: "signals") {
            var set = Self.set
            var number: Int32 = 0
            while sigwait(&set, &number) == 0, number == SIGHUP, let onHangUp, isatty(2) == 0 {
                onHangUp()
            }
            action()
        }
    }
}
