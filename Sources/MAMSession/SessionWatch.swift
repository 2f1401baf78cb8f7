// The thread that listens to logind, and reconnects to the bus after a failure.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import Synchronization

/// Watches sessions and sleep until ``stop(patience:)``. Does nothing without a system bus or
/// logind.
package final class SessionWatch: Sendable {
    private let events: SessionEvents
    private let log: Log
    /// Connects to a relay process where the bus is out of reach.
    private let relay: (@Sendable () throws(Errno) -> Descriptor)?
    /// Told whether events come.
    private let noteConnection: @Sendable (Bool) -> Void
    /// Closing it ends the thread.
    private let stopper = Mutex<Descriptor?>(nil)
    private let isRunning = Atomic(false)

    private static let firstPauseSeconds: Int32 = 1
    private static let longestPauseSeconds: Int32 = 60

    package init(
        _ events: SessionEvents, log: Log,
        relay: (@Sendable () throws(Errno) -> Descriptor)? = nil,
        noteConnection: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.events = events
        self.log = log
        self.relay = relay
        self.noteConnection = noteConnection
    }

    /// Call once.
    package func start() throws(Errno) {
        let stop = try makePipe()
        stopper.withLock { $0 = stop.writer }
        isRunning.store(true, ordering: .releasing)
        do throws(Errno) {
            try startThread(named: "session") { [self, reader = stop.reader] in
                watch(until: reader)
                isRunning.store(false, ordering: .releasing)
            }
        } catch {
            isRunning.store(false, ordering: .releasing)
            throw error
        }
    }

    /// Returns once no event is or will be handled, or after `patience`.
    package func stop(patience: Duration = .seconds(5)) {
        stopper.withLock { $0 = nil }
        let end = ContinuousClock.now + patience
        while isRunning.load(ordering: .acquiring), ContinuousClock.now < end { usleep(1000) }
    }

    private func watch(until stop: Descriptor) {
        var pause = Self.firstPauseSeconds
        var wasThere = true
        while true {
            do throws(BusError) {
                if let relay = try connectedRelay() {
                    return try events.take(from: relay, until: stop) {
                        pause = Self.firstPauseSeconds
                        wasThere = true
                        noteConnection(true)
                    }
                }
                var logind = try LoginManager(events, log)
                try logind.subscribe()
                pause = Self.firstPauseSeconds
                wasThere = true
                noteConnection(true)
                logind.meet()
                return try logind.serve(until: stop)
            } catch {
                noteConnection(false)
                // Logged once, not at every attempt.
                if wasThere {
                    log.info(
                        "no system bus: \(error). Screen locks and sleep are not noticed"
                    )
                }
                wasThere = false
            }
            if Self.isClosed(stop, withinSeconds: pause) { return }
            pause = min(2 * pause, Self.longestPauseSeconds)
        }
    }

    private func connectedRelay() throws(BusError) -> Descriptor? {
        do throws(Errno) { return try relay?() } catch { throw BusError(-error.rawValue) }
    }

    private static func isClosed(_ stop: Descriptor, withinSeconds seconds: Int32) -> Bool {
        var waiting = pollfd(fd: stop.raw, events: 0, revents: 0)
        return poll(&waiting, 1, seconds * 1000) > 0
    }
}

/// Called on the watch's one thread, in order; the next call waits for the previous one to return.
///
/// A screen lock arrives twice, as a signal and as a property change, so every call may be
/// repeated.
package struct SessionEvents: Sendable {
    /// A session of this uid was locked; nil: the user is unknown.
    let locked: @Sendable (UInt32?) -> Void
    /// A session of this uid was unlocked.
    let unlocked: @Sendable (UInt32) -> Void
    /// The machine is about to sleep, and waits for the return if sleep can be delayed. Nil: do not
    /// delay it.
    let prepareForSleep: (@Sendable () -> Void)?

    package init(
        locked: @escaping @Sendable (UInt32?) -> Void,
        unlocked: @escaping @Sendable (UInt32) -> Void,
        prepareForSleep: (@Sendable () -> Void)?
    ) {
        self.locked = locked
        self.unlocked = unlocked
        self.prepareForSleep = prepareForSleep
    }
}
