// `audit`, and `watch`.

internal import MAMAudit
internal import MAMCommandLine
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
        since: try auditTime("since", of: invocation)?.text,
        before: try auditTime("before", of: invocation)?.text,
        account: try invocation.arguments.text("account"),
        follow: invocation.arguments.has("follow"))
    question.event = try auditEvent(of: invocation)
    if let text = try invocation.arguments.text("limit") {
        guard let limit = Int(text), limit >= 0 else {
            throw invocation.misuse("--limit needs a number")
        }
        question.limit = limit
    }
    return question
}

/// The value of `--event`; nil if it is not given.
func auditEvent(of invocation: Invocation) throws -> String? {
    guard let word = try invocation.arguments.text("event") else { return nil }
    guard LogMessage(rawValue: word) != nil else {
        throw invocation.misuse(
            "unknown event '\(shown(word))'; use one of "
                + "\(LogMessage.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
}

/// The option's time; nil if it is not given.
func auditTime(_ option: String, of invocation: Invocation) throws -> Timestamp? {
    guard let text = try invocation.arguments.text(option) else { return nil }
    guard let time = Timestamp(text) ?? timeAgo(text) else {
        throw invocation.misuse(
            "'\(shown(text))' is not a time; use -30m, -2h, -1d, or" + " 2026-05-04T03:02:01Z")
    }
    return time
}

/// Parses a relative time such as `-90s`, `-15m`, `-2h` or `-7d`.
private func timeAgo(_ text: String) -> Timestamp? {
    guard text.first == "-", let seconds = seconds(of: String(text.dropFirst())) else { return nil }
    return Timestamp(milliseconds: Timestamp.now.milliseconds - seconds * 1000)
}

private func show(_ record: Varlink.Audit.Record, _ isJSON: Bool) {
    if isJSON { return printJSON(record.json, onOneLine: true) }
    printOut(verbatim: "\(shown(record.time))\t\(record.words)")
}

extension Varlink.Audit.Record {
    /// All but the time, with tabs.
    var words: String {
        let count = count > 1 ? " ×\(count)" : ""
        let parts = [
            event + count, parties, path, operation, caller, reason, rule.map { "(\($0))" },
        ]
        return parts.compactMap(\.self).map { shown($0) }.joined(separator: "\t")
    }

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

/// Prints each account's state, then one line per event, until the daemon ends.
func watch(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    endWithReader()
    try daemon.stream(Varlink.Workspace.Watch()) { reply in
        show(reply.event, invocation.isJSON)
        return outputFailure == nil
    }
    if outputFailure != nil { return .failure }
    throw daemon.hasEnded
}

private func show(_ event: Varlink.Workspace.Event, _ isJSON: Bool) {
    guard isJSON else { return printOut(verbatim: event.columns.joined(separator: "\t")) }
    var members = event.members
    // For programs that speak to people.
    members["words"] = nil
    printJSON(.object(members), onOneLine: true)
}

extension Varlink.Workspace.Event {
    /// The account, the event and its details.
    var columns: [String] {
        ([account?.label ?? "-", event] + details).map { shown($0) }
    }

    private var details: [String] {
        let seconds = seconds.flatMap { $0 > 0 ? "in \($0) s" : nil }
        return [seconds, code.map { "\($0)" }, kind, session, document, name, reason]
            .compactMap(\.self)
    }
}
