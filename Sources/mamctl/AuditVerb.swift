// `audit`.

internal import MAMAudit
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What is kept, the oldest first; with `--follow` then what happens, until the daemon ends.
func showAudit(_ invocation: Invocation) throws -> ExitStatus {
    let question = try auditQuestion(invocation)
    let follows = invocation.arguments.has("follow")
    let daemon = try invocation.daemon()
    if follows { endWithReader() }
    var failure: VarlinkError?
    try daemon.stream("Audit.List", question, about: "the audit of workspace '\(daemon.name)'") {
        reply in
        do throws(VarlinkError) {
            guard reply.has("record") else { return false }
            try show(try reply.object("record"), invocation.isJSON)
        } catch { failure = error }
        return failure == nil && outputFailure == nil
    }
    if let failure { throw Failure(failure, about: "workspace '\(daemon.name)'") }
    guard !follows || outputFailure != nil else {
        throw Failure(.unreachable, "the daemon of workspace '\(daemon.name)' ended")
    }
    return .success
}

private func auditQuestion(_ invocation: Invocation) throws -> [String: JSONValue] {
    var question: [String: JSONValue] = ["follow": .bool(invocation.arguments.has("follow"))]
    for name in ["since", "before"] {
        guard let text = try invocation.arguments.text(name) else { continue }
        guard let time = Timestamp(text) ?? timeAgo(text) else {
            throw Failure.usage(
                invocation.verb,
                "'\(ByteString(text).shown)' is not a time; use -30m, -2h, -1d, or"
                    + " 2026-05-04T03:02:01Z"
            )
        }
        question[name] = .string(time.text)
    }
    question["account"] = JSONValue(try invocation.arguments.text("account"))
    if let word = try invocation.arguments.text("event") {
        guard LogMessage(rawValue: word) != nil else {
            throw Failure.usage(
                invocation.verb,
                "unknown event '\(ByteString(word).shown)'; use one of "
                    + LogMessage.allCases.map(\.rawValue).joined(separator: ", "))
        }
        question["event"] = .string(word)
    }
    if let text = try invocation.arguments.text("limit") {
        guard let limit = Int(text), limit >= 0 else {
            throw Failure.usage(invocation.verb, "--limit needs a number")
        }
        question["limit"] = JSONValue(limit)
    }
    return question
}

/// Such as `-90s`, `-15m`, `-2h` or `-7d`.
private func timeAgo(_ text: String) -> Timestamp? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard text.first == "-", let unit = text.last.flatMap({ units[$0] }),
        let number = Int64(text.dropFirst().dropLast()), (0...1_000_000_000).contains(number)
    else { return nil }
    return Timestamp(milliseconds: Timestamp.now.milliseconds - number * unit * 1000)
}

private func show(_ record: Parameters, _ isJSON: Bool) throws(VarlinkError) {
    if isJSON { return printJSON(.object(record.members), onOneLine: true) }
    let event = try record.string("event")
    let count = try record.integer("count")
    var parts = [
        try record.string("time"), count > 1 ? "\(event) ×\(count)" : event,
        try record.optionalString("account") ?? "-",
    ]
    parts += try [record.optionalString("path"), record.optionalString("operation")]
        .compactMap(\.self)
    if let who = try caller(in: record) { parts.append(who) }
    if let reason = try record.optionalString("reason") { parts.append(reason) }
    if let rule = try record.optionalString("rule") { parts.append("(\(rule))") }
    printOut(parts.map { ByteString($0).shown }.joined(separator: "\t"))
}

private func caller(in record: Parameters) throws(VarlinkError) -> String? {
    guard let uid = try record.optionalInteger("uid") else { return nil }
    let process = try record.optionalInteger("pid").map { pid throws(VarlinkError) in
        "\(try record.optionalString("program") ?? "?")[\(pid)] "
    }
    return "\(process ?? "")uid \(uid)"
}
