// SIGTERM and SIGINT end the daemon in good order. SIGHUP makes it look at its policies, or ends it
// too.

import Glibc
import MAMSystem

/// Blocks the signals in every thread that starts later, and waits for them in one of its own.
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

    /// Runs the action once, at the first of the signals. Without `onHangUp`, or at a terminal,
    /// which hangs up when it is closed, SIGHUP is one of them.
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
