// `watch`.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// One line for how each account is now, then one per event, until the daemon ends.
func watch(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    var failure: VarlinkError?
    endWithReader()
    try daemon.stream("Watch") { reply in
        do throws(VarlinkError) {
            try show(try reply.object("event"), invocation.isJSON)
        } catch { failure = error }
        return failure == nil && outputFailure == nil
    }
    if outputFailure != nil { return .failure }
    throw failure.map { Failure($0, about: "workspace '\(daemon.name)'") }
        ?? Failure(.unreachable, "the daemon of workspace '\(daemon.name)' ended")
}

private func show(_ event: Parameters, _ isJSON: Bool) throws(VarlinkError) {
    if isJSON { return printJSON(.object(event.members), onOneLine: true) }
    printOut(try eventWords(event).joined(separator: "\t"))
}

/// Whom an event is about, what it is, and what there is to say about it.
func eventWords(_ event: Parameters) throws(VarlinkError) -> [String] {
    let account = event.has("account") ? try AccountReport(try event.object("account")).label : "-"
    let words = [account, try event.string("event")] + (try details(event))
    return words.map { ByteString($0).shown }
}

/// What an event says beside its word.
private func details(_ event: Parameters) throws(VarlinkError) -> [String] {
    var parts: [String] = []
    if let seconds = try event.optionalInteger("seconds"), seconds > 0 {
        parts.append("in \(seconds) s")
    }
    if let code = try event.optionalInteger("code") { parts.append("\(code)") }
    for name in ["kind", "session", "document", "name", "reason"] {
        if let text = try event.optionalString(name) { parts.append(text) }
    }
    return parts
}
