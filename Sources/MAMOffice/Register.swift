// The machines and the invitations that the organisation has on record.

package import MAMEngine
package import MAMFleet
package import MAMModel

/// `machines/MACHINE.json`.
package struct RegisteredMachine: Sendable, Equatable {
    package let machine: MachineID
    package let publicKey: [UInt8]
    package var name: String
    package let transportKey: NKey
    package let invitation: Bytes16
    package var groups: [String]
    /// In seconds since 1970, as ``revoked``.
    package let admitted: Int64
    package var revoked: Int64?
    package var reason: String?

    package static let maximumByteCount = 1 << 16

    package init(
        _ publicKey: [UInt8], named name: String, transportKey: NKey, invitation: Bytes16,
        groups: [String], admitted: Int64
    ) {
        machine = Bytes16(ofKey: publicKey)
        (self.publicKey, self.name, self.transportKey) = (publicKey, name, transportKey)
        (self.invitation, self.groups, self.admitted) = (invitation, groups, admitted)
    }

    /// Whether text is its id or its name. What looks like an id is one: machines choose names.
    package func isNamed(_ text: String) -> Bool {
        if let id = Bytes16(hex: text) { return machine == id }
        return name == text
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = Members(try JSONValue(bytes, orElse: "it is no JSON"), of: "the entry")
        machine = try members.take("machine", "an id", hexID)
        let key = try members.take("publicKey", "base64 of 32 bytes", \.bytes)
        guard Bytes16(ofKey: key) == machine else {
            throw .malformed("its public key is another machine's")
        }
        publicKey = key
        name = try members.text("name")
        transportKey = try members.take("transportKey", "an NKey of a user", user)
        invitation = try members.take("invitation", "an id", hexID)
        groups = try members.take("groups", "a list of names", names)
        admitted = try members.take("admitted", "a time in UTC", timestamp)
        revoked = try members.take("revoked", "a time in UTC, or null", orNull(timestamp))
        reason = members.has("reason") ? try members.text("reason") : nil
    }

    package var json: JSONValue {
        var found: [String: JSONValue] = [
            "machine": .string(machine.description), "publicKey": .string(base64(publicKey)),
            "name": .string(name), "transportKey": .string(transportKey.description),
            "invitation": .string(invitation.description),
            "groups": JSONValue(texts: groups), "admitted": .string(rfc3339(admitted)),
            "revoked": JSONValue(revoked.map(rfc3339)),
        ]
        if let reason { found["reason"] = .string(reason) }
        return .object(found)
    }
}

/// `invitations/ID.json`: everything of an invitation but its secret.
package struct InvitationRecord: Sendable, Equatable {
    package let id: Bytes16
    package var note: String
    package var groups: [String]
    /// In seconds since 1970, as ``expires``.
    package let created: Int64
    package var expires: Int64
    /// The key that the code's holder connects with.
    package let transportKey: NKey
    /// The machine that has used it.
    package var machine: MachineID?

    package init(
        _ id: Bytes16, note: String, groups: [String], created: Int64, expires: Int64,
        transportKey: NKey
    ) {
        (self.id, self.note, self.groups, self.created) = (id, note, groups, created)
        (self.expires, self.transportKey) = (expires, transportKey)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = Members(try JSONValue(bytes, orElse: "it is no JSON"), of: "the entry")
        id = try members.take("id", "an id", hexID)
        note = try members.text("note")
        groups = try members.take("groups", "a list of names", names)
        created = try members.take("created", "a time in UTC", timestamp)
        expires = try members.take("expires", "a time in UTC", timestamp)
        transportKey = try members.take("transportKey", "an NKey of a user", user)
        machine = try members.take("machine", "an id, or null", orNull(hexID))
    }

    package var json: JSONValue {
        [
            "id": .string(id.description), "note": .string(note),
            "groups": JSONValue(texts: groups), "created": .string(rfc3339(created)),
            "expires": .string(rfc3339(expires)),
            "transportKey": .string(transportKey.description),
            "machine": JSONValue(machine?.description),
        ]
    }
}

private func user(_ json: JSONValue) -> NKey? {
    json.text.flatMap(NKey.init).flatMap { $0.role == .user ? $0 : nil }
}

private func names(_ json: JSONValue) -> [String]? {
    json.elements { $0.text.flatMap { isName($0) ? $0 : nil } }
}

private func timestamp(_ json: JSONValue) -> Int64? {
    json.text.flatMap(Timestamp.init).map { $0.milliseconds / 1000 }
}

private func orNull<Value>(
    _ read: @escaping (JSONValue) -> Value?
) -> (JSONValue) -> Value?? {
    { json in json == .null ? .some(nil) : read(json).map { .some($0) } }
}

extension OrganizationDirectory {
    package func machineFile(_ id: MachineID) -> String { "\(Self.machines)/\(id).json" }
    package func invitationFile(_ id: Bytes16) -> String { "\(Self.invitations)/\(id).json" }
    package func answerFile(_ id: Bytes16) -> String { "\(Self.invited)/\(id).json" }

    package func registeredMachines() throws(Failure) -> [RegisteredMachine] {
        try entries(Self.machines) { bytes throws(Refusal) in
            try RegisteredMachine(parsing: bytes)
        }
    }

    package func invitationRecords() throws(Failure) -> [InvitationRecord] {
        try entries(Self.invitations) { bytes throws(Refusal) in
            try InvitationRecord(parsing: bytes)
        }
    }

    private func entries<Entry>(
        _ directory: String, _ parse: ([UInt8]) throws(Refusal) -> Entry
    ) throws(Failure) -> [Entry] {
        try files(below: directory).map { name throws(Failure) in
            try read(name, atMost: RegisteredMachine.maximumByteCount, parse)
        }
    }

    package func write(_ machine: RegisteredMachine) throws(Failure) {
        try writePrivately(machineFile(machine.machine), lines(machine.json))
    }

    package func write(_ invitation: InvitationRecord) throws(Failure) {
        try writePrivately(invitationFile(invitation.id), lines(invitation.json))
    }

    package func remove(_ invitation: InvitationRecord) throws(Failure) {
        try remove(invitationFile(invitation.id))
    }

    /// The answer to an invitation, `invited/ID.json`: its `jwt` is what is sent.
    package func writeAnswer(
        _ invitation: Bytes16, _ machine: MachineID, _ token: Token
    ) throws(Failure) {
        try writePrivately(
            answerFile(invitation),
            lines([
                "invitation": .string(invitation.description),
                "machine": .string(machine.description), "jwt": .string(token.text),
            ]))
    }

    /// The answers to send: by invitation, the machine's token.
    package func answers() throws(Failure) -> [Bytes16: Token] {
        var found: [Bytes16: Token] = [:]
        for name in try files(below: Self.invited) {
            let bytes = try read(name, atMost: Token.maximumByteCount)
            let members = (try? JSONValue(parsing: bytes))?.object
            guard let invitation = members?["invitation"].flatMap(hexID),
                let text = members?["jwt"]?.text
            else { throw failure(name, .malformed("it is no answer to an invitation")) }
            do throws(Refusal) { found[invitation] = try Token(parsing: text) } catch {
                throw failure(name, error)
            }
        }
        return found
    }
}
