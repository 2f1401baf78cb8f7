// A process between a daemon and the system bus, for one that must not reach the bus.

internal import Glibc
package import MAMSystem

/// Tells what logind says, and holds the machine's sleep up, until `input` ends or has what nobody
/// says.
package func relayLogins(from input: Int32, to output: Int32, log: Log) throws(Errno) {
    var reader = LineReader(input)
    guard let wish = try reader.next(), ["sleep", "no-sleep"].contains(wish) else { return }
    let hasSlept = Semaphore()
    // A daemon that is gone ends the reading below.
    let news: @Sendable (LoginNews) -> Void = { try? tell($0.line, to: output) }
    let beforeSleep: @Sendable () -> Void = {
        news(.sleep)
        // logind waits no longer than it likes.
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
    /// The daemon's side. Returns when the other end of `stop` is closed, and throws when the relay
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
