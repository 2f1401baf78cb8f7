// systemd-logind over one connection: locked sessions, and system sleep.

internal import MAMModel
internal import MAMSystem

/// Translates logind's signals into calls of ``SessionEvents``.
struct LoginManager: ~Copyable {
    private let bus: Bus
    private let events: SessionEvents
    private let log: Log
    /// logind's unique name on the bus; signals from others are ignored.
    private var owner: String?
    /// While this is open, sleep is delayed, for a few seconds at most (logind's
    /// `InhibitDelayMaxSec`).
    private var inhibitor: Descriptor?

    private static let service = "org.freedesktop.login1"
    private static let manager = BusObject(
        service: service, path: "/org/freedesktop/login1", interface: "\(service).Manager")
    private static let session = "\(service).Session"

    /// Starts to connect.
    init(_ events: SessionEvents, _ log: Log) throws(BusError) {
        bus = try Bus()
        self.events = events
        self.log = log
    }

    /// Subscribes to logind's signals.
    mutating func subscribe() throws(BusError) {
        let properties = "org.freedesktop.DBus.Properties"
        var rules = [
            "interface='\(Self.session)',member='Lock'",
            "interface='\(Self.session)',member='Unlock'",
            "interface='\(properties)',member='PropertiesChanged',arg0='\(Self.session)'",
        ]
        if events.prepareForSleep != nil {
            rules.append("interface='\(Self.manager.interface)',member='PrepareForSleep'")
        }
        for rule in rules { try bus.subscribe(to: "sender='\(Self.service)',\(rule)") }
        try bus.subscribe(
            to: "sender='\(BusObject.bus.service)',member='NameOwnerChanged',arg0='\(Self.service)'"
        )
        do throws(BusError) {
            owner = try bus.call(.bus, "GetNameOwner", Self.service).readText()
        } catch {
            // logind may start later. Any other failure is the connection's, which is then
            // replaced.
            guard error.isNobodyThere else { throw error }
        }
    }

    /// Reports sessions that are already locked, and takes the sleep inhibitor. Starts logind if
    /// the bus can.
    mutating func meet() {
        do throws(BusError) {
            try tellLockedSessions()
            log.info("connected to logind: screen locks and sleep are noticed")
        } catch {
            if error.isNobodyThere {
                return log.info("logind is not running: screen locks and sleep are not noticed")
            }
            log.warning("cannot ask logind which screens are locked: \(error)")
        }
        delaySleep()
    }

    /// Handles signals until the other end of `stop` closes; throws when the connection ends.
    mutating func serve(until stop: Descriptor) throws(BusError) {
        while let signal = try bus.nextSignal(orUntil: stop) {
            do throws(BusError) {
                try take(signal)
            } catch { log.warning("logind: \(error)") }
        }
    }

    private mutating func take(_ signal: borrowing BusMessage) throws(BusError) {
        if signal.sender == BusObject.bus.service, signal.member == "NameOwnerChanged" {
            return try takeOwner(signal)
        }
        // Any peer can send a signal directly to us, whatever we have subscribed to.
        guard let owner, signal.sender == owner else { return }
        switch signal.member {
        case "Lock": try tell(isLocked: true, signal.path)
        case "Unlock": try tell(isLocked: false, signal.path)
        case "PropertiesChanged":
            guard let isLocked = try lockedHint(in: signal) else { return }
            try tell(isLocked: isLocked, signal.path)
        case "PrepareForSleep": takeSleep(begins: try signal.readBool())
        default: break
        }
    }

    private func tell(isLocked: Bool, _ session: String?) throws(BusError) {
        guard isLocked else { return events.unlocked(try user(of: session)) }
        do throws(BusError) { events.locked(try user(of: session)) } catch {
            if error.isObjectGone { throw error }
            log.warning(
                "cannot ask logind for the user of the locked session: locking all accounts")
            events.locked(nil)
        }
    }

    private mutating func takeOwner(_ signal: borrowing BusMessage) throws(BusError) {
        try signal.skip("ss")
        let name = try signal.readText()
        owner = name.isEmpty ? nil : name
        if owner != nil { meet() }
    }

    private mutating func takeSleep(begins: Bool) {
        guard let prepareForSleep = events.prepareForSleep else { return }
        if begins {
            prepareForSleep()
            inhibitor = nil
        } else {
            delaySleep()
        }
    }

    private mutating func delaySleep() {
        guard events.prepareForSleep != nil else { return }
        do throws(BusError) {
            inhibitor = try bus.call(
                Self.manager, "Inhibit", "sleep", "mamd", "Managed files are being locked", "delay"
            ).readDescriptor()
        } catch {
            log.warning("the machine may sleep before accounts are locked: \(error)")
        }
    }

    private func tellLockedSessions() throws(BusError) {
        let sessions = try bus.call(Self.manager, "ListSessions")
        try sessions.inside(.array, of: "(susso)") { list throws(BusError) in
            while let (user, path) = try list.inside(.structure, of: "susso", Self.readSession) {
                // A session that has ended meanwhile has no properties.
                let isLocked = try? property("LockedHint", at: path).inside(.variant, of: "b") {
                    value throws(BusError) in try value.readBool()
                }
                if isLocked == true { events.locked(user) }
            }
        }
    }

    private static func readSession(
        _ entry: borrowing BusMessage
    ) throws(BusError) -> (user: UInt32, path: String) {
        try entry.skip("s")
        let user = try entry.readUInt32()
        try entry.skip("ss")
        return (user, try entry.readText(.objectPath))
    }

    private func user(of session: String?) throws(BusError) -> UInt32 {
        let answer = try property("User", at: session ?? "")
        let user = try answer.inside(.variant, of: "(uo)") { value throws(BusError) in
            try value.inside(.structure, of: "uo") { pair throws(BusError) in
                let user = try pair.readUInt32()
                try pair.skip("o")
                return user
            }
        }
        guard let user = user ?? nil else { throw BusError.noValue }
        return user
    }

    private func property(_ name: String, at path: String) throws(BusError) -> BusMessage {
        let object = BusObject(
            service: Self.service, path: path, interface: "org.freedesktop.DBus.Properties")
        return try bus.call(object, "Get", Self.session, name)
    }

    /// The new value of `LockedHint`, if it changed.
    private func lockedHint(in signal: borrowing BusMessage) throws(BusError) -> Bool? {
        try signal.skip("s")
        var hint: Bool?
        _ = try signal.inside(.array, of: "{sv}") { changes throws(BusError) in
            while let found = try changes.inside(.dictionaryEntry, of: "sv", Self.readHint) {
                hint = found ?? hint
            }
        }
        return hint
    }

    private static func readHint(_ entry: borrowing BusMessage) throws(BusError) -> Bool? {
        guard try entry.readText() == "LockedHint" else {
            try entry.skip("v")
            return nil
        }
        return try entry.inside(.variant, of: "b") { value throws(BusError) in
            try value.readBool()
        }
    }
}
