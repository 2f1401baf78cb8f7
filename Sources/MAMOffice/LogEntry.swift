// A line of `log.jsonl`: what was signed here, or done with a machine, by whom and when.

package import MAMFleet
package import MAMModel

/// JSON with `event`, `time`, `user` and `host`, and what it is about: `document`, `machine`,
/// `invitation` and `reason`. `before`, the SHA-256 of the line before, chains it to all of them.
package struct LogEntry: Sendable, Equatable {
    package enum Event: String, Sendable, CaseIterable {
        case initialize = "init"
        case rotate, sign, cosign, push, people, restore
        /// A step of a push by rings went out.
        case next
        case order, retire, withdraw, admit, revoke, readmit
        /// It was signed elsewhere, or could not be noted at its time.
        case add
    }

    package let event: Event
    /// In seconds since 1970, by the clock of ``host``.
    package let time: Int64
    package let user: String
    package let host: String
    package var document: Document?
    package var machine: MachineID?
    package var invitation: Bytes16?
    package var reason: String?

    package init(_ event: Event, at time: Int64, by user: String, on host: String) {
        (self.event, self.time, self.user, self.host) = (event, time, user, host)
    }

    /// What tells a document from all others, and who had signed it by then.
    package struct Document: Sendable, Equatable {
        /// Its name in the organisation's directory.
        package let file: String
        package let slot: Slot
        package let serial: Int64
        /// ``Envelope/fingerprint``: it stays when more keys sign.
        package let fingerprint: String
        /// Of a line in the log and of a new one: as the envelope says.
        package let keys: [Bytes16]

        /// `known`: keys of the organisation's. An id alone is written by anybody, so that with
        /// these only signatures of theirs count.
        package init(
            _ file: String, _ envelope: Envelope, by known: [Bytes16: [UInt8]]? = nil
        ) throws(Refusal) {
            let statement = try envelope.statement()
            let signers = known.map { envelope.signers(among: $0) }
            self.file = file
            slot = Slot(envelope.kind, statement.audience, statement.name)
            serial = statement.serial
            fingerprint = envelope.fingerprint
            let keys = envelope.signatures.map(\.key)
            self.keys = signers.map { signers in keys.filter(signers.contains) } ?? keys
        }
    }
}

extension LogEntry {
    package init(parsing line: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: line, of: "the line")
        _ = try members.takeOptional("before", "a digest", \.text)
        event = try members.take("event", "an event of this version of mamd") {
            $0.text.flatMap(Event.init)
        }
        time = try members.time("time")
        user = try members.text("user")
        host = try members.text("host")
        document = try members.takeOptional("document", "a document", Document.init)
        machine = try members.takeOptional("machine", "an id", hexID)
        invitation = try members.takeOptional("invitation", "an id", hexID)
        reason = try members.takeOptional("reason", "a text", \.text)
        try members.requireEmpty()
    }

    /// `before`: nil in the first line.
    func line(after before: String?) -> [UInt8] {
        json.with("before", before.map { .string($0) }).encoded()
    }

    package var json: JSONValue {
        let members: JSONValue = [
            "event": .string(event.rawValue), "time": .string(rfc3339(time)),
            "user": .string(user), "host": .string(host),
        ]
        return members.with("document", document?.json)
            .with("machine", machine.map { .string($0.description) })
            .with("invitation", invitation.map { .string($0.description) })
            .with("reason", reason.map { .string($0) })
    }
}

extension LogEntry.Document {
    package init?(_ json: JSONValue) {
        let members = json.object ?? [:]
        guard members.count == 5, let file = members["file"]?.text,
            let slot = members["slot"]?.text.flatMap({ Slot($0) }),
            let serial = members["serial"]?.integer,
            let fingerprint = members["sha256"]?.text, let keys = members["keys"]?.elements(hexID)
        else { return nil }
        (self.file, self.slot, self.serial) = (file, slot, serial)
        (self.fingerprint, self.keys) = (fingerprint, keys)
    }

    package var json: JSONValue {
        [
            "file": .string(file), "slot": .string(slot.description), "serial": .integer(serial),
            "sha256": .string(fingerprint), "keys": JSONValue(texts: keys.map(\.description)),
        ]
    }
}

extension JSONValue {
    fileprivate func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, var members = object else { return self }
        members[name] = value
        return .object(members)
    }
}
