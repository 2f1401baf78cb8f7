// `watch`.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

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
