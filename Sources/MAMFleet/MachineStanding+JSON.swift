// A standing in the state directory.

package import MAMModel

extension MachineStanding {
    /// The standing in one text: what was accepted together is stored together.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "machine": .string(machine.description), "root": rootDocument.envelope.json,
            "documents": .array(
                documents.sorted { $0.key.description < $1.key.description }.map {
                    $0.value.envelope.json
                }),
            "obeyed": .object(obeyed.mapValues { .integer($0) }),
            "pending": .object(pending.mapValues(\.json)),
            "withdrawn": JSONValue(texts: withdrawn.sorted()),
            "needingAll": JSONValue(texts: needingAll.sorted()),
            "dropped": JSONValue(dropped.mapValues { .integer($0) }),
            "wipingSince": JSONValue(wipingSince.mapValues { .integer($0) }),
            "latestTime": .integer(latestTime), "forgottenUntil": .integer(forgottenUntil),
        ]
        if !late.isEmpty { members["late"] = JSONValue(texts: late.sorted()) }
        if !recoveryKeys.isEmpty {
            members["recoveryKeys"] = JSONValue(
                recoveryKeys.mapValues { JSONValue(texts: $0.sorted()) })
        }
        return .object(members)
    }

    /// Verifies every signature again. Expired documents stay: see ``policies``.
    package init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "the standing")
        let machine = try members.take("machine", "an id", hexID)
        let root = try members.take("root", "an envelope", Self.envelope)
        try self.init(pinning: root, machine: machine)
        for json in try members.take("documents", "a list", { $0.array }) {
            guard let envelope = Self.envelope(json) else {
                throw .malformed("a document of the standing is no envelope")
            }
            let document = try SignedDocument(envelope, by: self.root, of: organization)
            // A newer version may have accepted what this one cannot read: without it less would be
            // restricted.
            try document.checkContent()
            documents[document.slot] = document
            // Standings of before had no list of them.
            noteRecoveryKeys(of: document)
        }
        obeyed = try members.take("obeyed", "nonces and times") { $0.members(\.integer) }
        let pending = try members.take("pending", "an object") { $0.object }
        for (nonce, json) in pending { self.pending[nonce] = try Order(parsing: json.encoded()) }
        // Standings of before had none of these.
        late = try Self.nonces("late", &members)
        withdrawn = try Self.nonces("withdrawn", &members)
        needingAll = try Self.nonces("needingAll", &members)
        dropped = try Self.slots(
            try members.take("dropped", "documents and times") { $0.members(\.integer) })
        // Nor these.
        wipingSince = try Self.slots(
            try members.takeOptional("wipingSince", "documents and times") {
                $0.members(\.integer)
            } ?? [:])
        let recoveryKeys = try members.takeOptional("recoveryKeys", "documents and keys") {
            $0.members { $0.elements(\.text) }
        }
        for (slot, keys) in try Self.slots(recoveryKeys ?? [:]) {
            self.recoveryKeys[slot] = Set(keys)
        }
        latestTime = try members.take("latestTime", "a number") { $0.integer }
        forgottenUntil = try members.take("forgottenUntil", "a number") { $0.integer }
        try members.requireEmpty()
    }

    private static func nonces(
        _ key: String, _ members: inout Members
    ) throws(Refusal) -> Set<String> {
        Set(try members.takeOptional(key, "a list of nonces") { $0.elements(\.text) } ?? [])
    }

    private static func slots<Value>(
        _ values: [String: Value]
    ) throws(Refusal) -> [Slot: Value] {
        var found: [Slot: Value] = [:]
        for (text, value) in values {
            guard let slot = Slot(text) else { throw .malformed("\(text) names no document") }
            found[slot] = value
        }
        return found
    }

    private static func envelope(_ json: JSONValue) -> Envelope? {
        try? Envelope(parsing: json.encoded())
    }
}
