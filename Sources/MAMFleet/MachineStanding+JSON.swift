// A standing in the state directory.

package import MAMModel

extension MachineStanding {
    /// All of it, in one text: what was accepted together is stored together.
    package var json: JSONValue {
        [
            "machine": .string(machine.description), "root": rootDocument.envelope.json,
            "documents": .array(
                documents.sorted { $0.key.description < $1.key.description }.map {
                    $0.value.envelope.json
                }),
            "obeyed": .object(obeyed.mapValues { .integer($0) }),
            "pending": .object(pending.mapValues(\.json)),
            "latestTime": .integer(latestTime), "forgottenUntil": .integer(forgottenUntil),
        ]
    }

    /// Verifies every signature again. Expired documents stay: see ``policies``.
    package init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "the standing")
        let machine = try members.take("machine", "an id") { $0.text.flatMap(Bytes16.init(hex:)) }
        let root = try members.take("root", "an envelope", Self.envelope)
        try self.init(pinning: root, machine: machine)
        for json in try members.take("documents", "a list", { $0.array }) {
            guard let envelope = Self.envelope(json) else {
                throw .malformed("a document of the standing is no envelope")
            }
            restore(try SignedDocument(envelope, by: self.root, of: organization))
        }
        let obeyed = try members.take("obeyed", "nonces and times", Self.times)
        let found = try members.take("pending", "an object") { $0.object }
        var pending: [String: Order] = [:]
        for (nonce, json) in found { pending[nonce] = try Order(parsing: json.encoded()) }
        let time = try members.take("latestTime", "a number") { $0.integer }
        let forgotten = try members.take("forgottenUntil", "a number") { $0.integer }
        try members.requireEmpty()
        restore(obeyed: obeyed, pending: pending, latestTime: time, forgottenUntil: forgotten)
    }

    private static func envelope(_ json: JSONValue) -> Envelope? {
        try? Envelope(parsing: json.encoded())
    }

    private static func times(_ json: JSONValue) -> [String: Int64]? {
        guard let members = json.object else { return nil }
        let times = members.compactMapValues(\.integer)
        return times.count == members.count ? times : nil
    }
}
