// A connection to the system bus. libsystemd's connections are not thread-safe: one thread creates,
// uses and closes it.

internal import CSystemd
internal import Glibc
internal import MAMModel
internal import MAMSystem

/// An interface of a remote object.
struct BusObject {
    let service: String
    let path: String
    let interface: String

    /// The bus driver.
    static let bus = BusObject(
        service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus")
}

/// Receives subscribed signals, and makes calls in between.
struct Bus: ~Copyable {
    private let connection: OpaquePointer

    /// The services called here reply at once or not at all.
    private static let callMicroseconds: UInt64 = 5_000_000

    /// Starts to connect; if there is no bus, the first call fails at the latest.
    init() throws(BusError) {
        var opened: OpaquePointer?
        try checked(sd_bus_open_system(&opened))
        guard let opened else { throw BusError(-ENOTCONN) }
        connection = opened
        sd_bus_set_method_call_timeout(connection, Self.callMicroseconds)
    }

    deinit { sd_bus_close_unref(connection) }

    /// Calls a method whose arguments are all strings, and waits for the reply. Signals that arrive
    /// meanwhile are queued.
    func call(
        _ object: BusObject, _ method: String, _ arguments: String...
    ) throws(BusError) -> BusMessage {
        var request: OpaquePointer?
        try checked(
            sd_bus_message_new_method_call(
                connection, &request, object.service, object.path, object.interface, method))
        defer { sd_bus_message_unref(request) }
        for argument in arguments {
            let type = CChar(BusType.text.rawValue)
            try checked(sd_bus_message_append_basic(request, type, argument))
        }
        var refusal = sd_bus_error()
        defer { sd_bus_error_free(&refusal) }
        var answer: OpaquePointer?
        let status = sd_bus_call(connection, request, 0, &refusal, &answer)
        guard status >= 0, let answer else { throw BusError(status, refusal) }
        return BusMessage(owning: answer)
    }

    /// Subscribes to signals by a match rule. They come from ``nextSignal(orUntil:)``, not through
    /// a libsystemd callback.
    func subscribe(to rule: String) throws(BusError) {
        _ = try call(.bus, "AddMatch", "type='signal',\(rule)")
    }

    /// The next message that is not a reply; nil once the other end of `stop` closes. Throws when
    /// the connection ends.
    func nextSignal(orUntil stop: Descriptor) throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let status = try checked(sd_bus_process(connection, &message))
            if let message { return BusMessage(owning: message) }
            // Zero: nothing is queued, so wait.
            if status == 0, try !waits(orUntil: stop) { return nil }
        }
    }

    /// Waits until the connection needs processing: true; or the other end of `stop` closes: false.
    private func waits(orUntil stop: Descriptor) throws(BusError) -> Bool {
        let events = try checked(sd_bus_get_events(connection))
        var waiting = [
            pollfd(fd: try checked(sd_bus_get_fd(connection)), events: Int16(events), revents: 0),
            pollfd(fd: stop.raw, events: 0, revents: 0),
        ]
        let milliseconds = try millisecondsToWait()
        do throws(Errno) {
            _ = try retrying { poll(&waiting, 2, milliseconds) }
        } catch { throw BusError(-error.rawValue) }
        return waiting[1].revents == 0
    }

    private func millisecondsToWait() throws(BusError) -> Int32 {
        var until: UInt64 = 0
        try checked(sd_bus_get_timeout(connection, &until))
        if until == .max { return -1 }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let elapsed = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return until <= elapsed ? 0 : Int32(clamping: (until - elapsed) / 1000 + 1)
    }
}
