// `fleet audit`: what happened on all machines.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func showFleetAudit(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let filter = try AuditFilter(invocation)
    if let name = filter.machine,
        try !directory.place.registeredMachines().contains(where: { $0.isNamed(name) })
    {
        throw try directory.survey(invocation).unknownMachine(name)
    }
    var audit = FleetAudit(directory.place, of: directory.root.organization) { entry in
        filter.machine.map(entry.isNamed) ?? true
    }
    let audits = directory.place.whole(OrganizationDirectory.audits)
    let isFollowing = invocation.arguments.has("follow")
    if isFollowing { endWithReader() }
    var unusable: [UnusableFile] = []
    while outputFailure == nil {
        // Before the files are read, so that no change is missed in between.
        let notifier = isFollowing ? try? DirectoryNotifier(of: audits) : nil
        audit.lookAgain()
        while outputFailure == nil, let (entry, time, item) = audit.next() {
            guard filter.fits(time, item) else { continue }
            show(item, of: entry, time, invocation.isJSON)
        }
        for file in audit.unusable where !unusable.contains(file) {
            printError(Wanted.Flaw.unusable(file).words)
            unusable.append(file)
        }
        guard isFollowing else { break }
        wait(for: notifier)
    }
    return unusable.isEmpty ? .success : .failure
}

private struct AuditFilter {
    let machine: String?
    let event: String?
    let since: Int64?

    init(_ invocation: Invocation) throws {
        machine = try invocation.arguments.text("machine")
        event = try auditEvent(of: invocation)
        since = try auditTime("since", of: invocation)?.milliseconds
    }

    /// What is missing, or does not count, is shown with any event.
    func fits(_ time: Int64, _ item: AuditItem) -> Bool {
        // An item whose time is not known is always shown.
        if let since, time > 0, time < since { return false }
        guard let event, case .record(let record) = item else { return true }
        return record.object?["event"]?.text == event
    }
}

private func show(_ item: AuditItem, of entry: RegisteredMachine, _ time: Int64, _ isJSON: Bool) {
    let label = entry.shownName
    if isJSON { return printJSON(item.json(of: entry), onOneLine: true) }
    let moment = Timestamp(milliseconds: time).text
    switch item {
    case .record(let json):
        guard let record = try? Varlink.Audit.Record(Parameters(json.object ?? [:])) else {
            return printOut("\(moment)\t\(label)\ta record of no known form")
        }
        printOut(verbatim: "\(excerpt(of: record.time))\t\(label)\t\(record.words)")
    case .gap(let from, let to):
        printOut("\(moment)\t\(label)\tmissing\trecords \(from) to \(to) are not here")
    case .refused(let reason):
        printOut("\(moment)\t\(label)\trefused\ta report does not count: \(excerpt(of: reason))")
    }
}

extension AuditItem {
    /// A record stands as the machine has signed it.
    fileprivate func json(of entry: RegisteredMachine) -> JSONValue {
        var members: [String: JSONValue] = [
            "machine": .string(entry.machine.description), "name": .string(entry.shownName),
        ]
        switch self {
        case .record(let record): members["record"] = record
        case .gap(let from, let to):
            members["missing"] = ["from": .integer(from), "to": .integer(to)]
        case .refused(let reason): members["refused"] = .string(excerpt(of: reason))
        }
        return .object(members)
    }
}

/// Returns some time after the next change.
private func wait(for notifier: DirectoryNotifier?) {
    let isBlind = notifier?.seesAll != true
    guard let notifier else {
        poll(nil, 0, 5000)
        return
    }
    var waiting = pollfd(fd: notifier.descriptor.raw, events: Int16(POLLIN), revents: 0)
    poll(&waiting, 1, isBlind ? 5000 : -1)
    // A pull writes several files.
    poll(nil, 0, 100)
}
