// A record as a JSON object, which is one line of the audit's files.

package import MAMModel
internal import MAMSystem

extension AuditRecord {
    /// Named as in io.mamd.Audit's Record.
    package var members: [String: JSONValue] {
        [
            "time": .string(time.text), "sequence": .integer(sequence),
            "event": .string(event.rawValue), "account": JSONValue(account),
            "receiver": JSONValue(receiver), "uid": number(caller?.uid),
            "pid": number(caller?.process?.id), "program": JSONValue(caller?.process?.name),
            "path": JSONValue(path),
            "operation": JSONValue(operation), "reason": JSONValue(reason),
            "rule": JSONValue(rule), "class": JSONValue(fileClass), "count": JSONValue(count),
        ]
    }

    /// Without unknown fields.
    var line: [UInt8] {
        var all = members.filter { $0.value != .null }
        if let registrant { all["registrant"] = JSONValue(registrant) }
        return printable(json: JSONValue.object(all).encoded()) + [UInt8(ascii: "\n")]
    }

    /// Nil for anything but a record of a known version.
    package init?(_ value: JSONValue) {
        guard let members = value.object,
            let event = members["event"]?.text.flatMap(LogMessage.init(rawValue:)),
            let time = members["time"]?.text.flatMap({ Timestamp($0) }),
            let sequence = members["sequence"]?.integer
        else { return nil }
        self.init(event)
        self.time = time
        self.sequence = sequence
        account = members["account"]?.text
        receiver = members["receiver"]?.text
        registrant = members["registrant"]?.integer.flatMap { UInt32(exactly: $0) }
        caller = AuditCaller(members)
        path = members["path"]?.text
        operation = members["operation"]?.text
        reason = members["reason"]?.text
        rule = members["rule"]?.text
        fileClass = members["class"]?.text
        count = members["count"]?.integer.flatMap { Int(exactly: $0) } ?? 1
    }
}

private func number(_ value: (some BinaryInteger)?) -> JSONValue {
    value.map { JSONValue($0) } ?? .null
}

extension AuditCaller {
    fileprivate init?(_ members: [String: JSONValue]) {
        guard let uid = members["uid"]?.integer.flatMap({ UInt32(exactly: $0) }) else { return nil }
        let pid = members["pid"]?.integer.flatMap { Int32(exactly: $0) }
        self.init(
            uid: uid,
            process: pid.map { ProcessName($0, named: members["program"]?.text ?? "?") })
    }
}
