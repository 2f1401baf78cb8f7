// `audit`.

internal import MAMAudit
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Prints the stored records, oldest first; with `--follow`, then new ones until the daemon ends.
func showAudit(_ invocation: Invocation) throws -> ExitStatus {
    let question = try auditQuestion(invocation)
    let daemon = try invocation.daemon()
    if question.follow == true { endWithReader() }
    try daemon.stream(question, about: "the audit of workspace '\(daemon.name)'") { reply in
        guard let record = reply.record else { return false }
        show(record, invocation.isJSON)
        return outputFailure == nil
    }
    guard question.follow != true || outputFailure != nil else { throw daemon.hasEnded }
    return .success
}

private func auditQuestion(_ invocation: Invocation) throws -> Varlink.Audit.List {
    var question = Varlink.Audit.List(
        since: try time("since", of: invocation), before: try time("before", of: invocation),
        account: try invocation.arguments.text("account"),
        follow: invocation.arguments.has("follow"))
    if let word = try invocation.arguments.text("event") {
        guard LogMessage(rawValue: word) != nil else {
            throw Failure.usage(
                invocation.verb,
                "unknown event '\(ByteString(word).shown)'; use one of "
                    + LogMessage.allCases.map(\.rawValue).joined(separator: ", "))
        }
        question.event = word
    }
    if let text = try invocation.arguments.text("limit") {
        guard let limit = Int(text), limit >= 0 else {
            throw Failure.usage(invocation.verb, "--limit needs a number")
        }
        question.limit = limit
    }
    return question
}

/// The option's time in its wire form; nil if it is not given.
private func time(_ option: String, of invocation: Invocation) throws -> String? {
    guard let text = try invocation.arguments.text(option) else { return nil }
    guard let time = Timestamp(text) ?? timeAgo(text) else {
        throw Failure.usage(
            invocation.verb,
            "'\(ByteString(text).shown)' is not a time; use -30m, -2h, -1d, or"
                + " 2026-05-04T03:02:01Z"
        )
    }
    return time.text
}

/// Parses a relative time such as `-90s`, `-15m`, `-2h` or `-7d`.
private func timeAgo(_ text: String) -> Timestamp? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard text.first == "-", let unit = text.last.flatMap({ units[$0] }),
        let number = Int64(text.dropFirst().dropLast()), (0...1_000_000_000).contains(number)
    else { return nil }
    return Timestamp(milliseconds: Timestamp.now.milliseconds - number * unit * 1000)
}

private func show(_ record: Varlink.Audit.Record, _ isJSON: Bool) {
    if isJSON { return printJSON(record.json, onOneLine: true) }
    let count = record.count > 1 ? " ×\(record.count)" : ""
    let parts = [
        record.time, record.event + count, record.parties, record.path, record.operation,
        record.caller, record.reason, record.rule.map { "(\($0))" },
    ]
    printOut(parts.compactMap(\.self).map { ByteString($0).shown }.joined(separator: "\t"))
}

extension Varlink.Audit.Record {
    /// The account, and the owner that its content went to.
    fileprivate var parties: String {
        "\(account ?? "-")\(receiver.map { " → \($0)" } ?? "")"
    }

    fileprivate var caller: String? {
        guard let uid else { return nil }
        let process = pid.map { "\(program ?? "?")[\($0)] " }
        return "\(process ?? "")uid \(uid)"
    }
}
