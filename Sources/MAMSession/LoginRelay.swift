// A relay process between the system bus and a daemon that must not reach the bus itself.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import Synchronization

/// Relays logind's signals and delays sleep, until `input` ends or sends an unknown line, or logind
/// is not reached: the daemon must not take silence for a screen that nobody locks.
package func relayLogins(from input: Int32, to output: Int32, log: Log) throws(Errno) {
    var reader = LineReader(input)
    guard let wish = try reader.next(), ["sleep", "no-sleep"].contains(wish) else { return }
    let hasSlept = Semaphore()
    let stopper = Mutex<Descriptor?>(nil)
    let silence = try end(stopper)
    // If the daemon is gone, the read below ends.
    let news: @Sendable (LoginNews) -> Void = { try? tell($0.line, to: output) }
    let beforeSleep: @Sendable () -> Void = {
        news(.sleep)
        // logind has a time limit of its own.
        _ = hasSlept.wait(until: Deadline(seconds: 60))
    }
    let watch = SessionWatch(
        SessionEvents(
            locked: { news(.locked($0)) }, unlocked: { news(.unlocked($0)) },
            prepareForSleep: wish == "sleep" ? beforeSleep : nil), log: log,
        noteConnection: { isConnected in
            if !isConnected { stopper.withLock { $0 = nil } }
        })
    try watch.start()
    while try reader.next(orUntil: silence) == "slept" { hasSlept.signal() }
}

/// Ends when what is put into `stopper` is released: nothing else holds that.
private func end(_ stopper: borrowing Mutex<Descriptor?>) throws(Errno) -> Descriptor {
    let pipe = try makePipe()
    stopper.withLock { $0 = pipe.writer }
    return pipe.reader
}

extension SessionEvents {
    private static let relayMilliseconds: Int32 = 1000

    /// The daemon's side. Returns when the other end of `stop` closes, and throws when the relay
    /// ends. `isThere` is called once the relay hears logind.
    func take(
        from relay: Descriptor, until stop: Descriptor, _ isThere: () -> Void
    ) throws(BusError) {
        do throws(Errno) {
            try tell(prepareForSleep == nil ? "no-sleep" : "sleep", to: relay.raw)
            var answer = pollfd(fd: relay.raw, events: Int16(POLLIN), revents: 0)
            // One that does not ends at once.
            if poll(&answer, 1, Self.relayMilliseconds) == 0 { isThere() }
            var reader = LineReader(relay.raw)
            while let line = try reader.next(orUntil: stop) {
                isThere()
                switch LoginNews(line) {
                case .locked(let user): locked(user)
                case .unlocked(let user): unlocked(user)
                case .sleep:
                    prepareForSleep?()
                    try tell("slept", to: relay.raw)
                case nil: throw .invalid
                }
            }
            var state = pollfd(fd: stop.raw, events: 0, revents: 0)
            if poll(&state, 1, 0) == 0 { throw .notConnected }
        } catch { throw BusError(-error.rawValue) }
    }
}
