// `watch`.

internal import MAMControl
internal import MAMModel
internal import MAMSystem

/// One line for how each account is now, then one per event, until the daemon ends.
func watch(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    var failure: VarlinkError?
    try daemon.stream("Watch") { reply in
        do throws(VarlinkError) {
            try show(try reply.object("event"), invocation.isJSON)
        } catch { failure = error }
        return failure == nil
    }
    throw failure.map { Failure($0, about: "workspace '\(daemon.name)'") }
        ?? Failure(.unreachable, "the daemon of workspace '\(daemon.name)' ended")
}

private func show(_ event: Parameters, _ isJSON: Bool) throws(VarlinkError) {
    if isJSON { return printJSON(.object(event.members), onOneLine: true) }
    let account = try AccountReport(try event.object("account"))
    let seconds = try event.optionalInteger("seconds") ?? 0
    let time = seconds > 0 ? "\tin \(seconds) s" : ""
    printOut("\(ByteString(account.label).shown)\t\(try event.string("event"))\(time)")
}
