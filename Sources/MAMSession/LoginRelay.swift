// A relay process between the system bus and a daemon that must not reach the bus itself.

internal import Glibc
package import MAMModel
package import MAMSystem

/// Relays logind's signals and delays sleep, until `input` ends or sends an unknown line.
package func relayLogins(from input: Int32, to output: Int32, log: Log) throws(Errno) {
    var reader = LineReader(input)
    guard let wish = try reader.next(), ["sleep", "no-sleep"].contains(wish) else { return }
    let hasSlept = Semaphore()
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
            prepareForSleep: wish == "sleep" ? beforeSleep : nil), log: log)
    try watch.start()
    while try reader.next() == "slept" { hasSlept.signal() }
}

extension SessionEvents {
    /// The daemon's side. Returns when the other end of `stop` closes, and throws when the relay
    /// ends.
    func take(from relay: Descriptor, until stop: Descriptor) throws(BusError) {
        do throws(Errno) {
            try tell(prepareForSleep == nil ? "no-sleep" : "sleep", to: relay.raw)
            var reader = LineReader(relay.raw)
            while let line = try reader.next(orUntil: stop) {
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
