// `fleet orders`: who has signed them, and which machines have obeyed.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func showFleetOrders(_ invocation: Invocation) throws -> ExitStatus {
    let survey = try FleetDirectory(of: invocation).survey(invocation)
    let meant = try survey.machines(of: invocation).map { indices in
        Set(indices.map { survey.machines[$0].entry.machine })
    }
    let orders = survey.orders.orders.filter { order in
        guard let meant else { return true }
        return !meant.isDisjoint(with: order.all)
            || meant.contains { order.audience == .machine($0) }
    }
    let statuses = Dictionary(
        survey.machines.map { (Audience.machine($0.entry.machine), $0.status) },
        uniquingKeysWith: { $1 })
    if invocation.isJSON {
        printJSON(.array(orders.map { $0.json(statuses) }))
        return .success
    }
    for found in survey.orders.unusable {
        printError("\(excerpt(of: found.name)) does not count: \(excerpt(of: found.reason))")
    }
    let names = survey.names
    let rows = orders.map { $0.row(names, statuses) }
    printOut(orders.isEmpty ? "no orders" : .verbatim(table(rows, width: outputWidth)))
    for order in orders where order.isUnheard {
        printOut("\(order.nonce.prefix(8)) expired unheard. To send it again: \(order.again)")
    }
    return .success
}

extension SurveyedOrder {
    fileprivate func row(
        _ names: [MachineID: String], _ statuses: [Audience: MachineStatus?]
    ) -> [Message] {
        [
            .verbatim(rfc3339(issued)), .verbatim(String(nonce.prefix(8))),
            what(statuses[audience] ?? nil), .verbatim(whom(names)),
            "\(signed.count) of \(needed) signed", outcome,
        ]
    }

    func whom(_ names: [MachineID: String]) -> String {
        guard case .machine(let id) = audience else { return audience.description }
        return names[id] ?? id.description
    }

    var outcome: Message {
        switch state {
        case .unsigned: "waits for \(missing.counted("signature"))"
        case .pending:
            if !isForOne {
                "pending on \(pending.count.grouped) of \(all.count.grouped)"
            } else if isTakenBack {
                "pending, and its withdrawal too"
            } else if order.action == .reset {
                "pending: the person chooses the passphrase"
            } else if isHeldBack {
                "pending: it is sent once the wipes are obeyed"
            } else if order.action == .leave {
                "pending: a machine that has left reports no more"
            } else {
                "pending"
            }
        case .obeyed where isLate: "too late: the order was obeyed"
        case .obeyed: isForOne ? "obeyed" : "obeyed by \(done.count.grouped)"
        case .withdrawn: "withdrawn"
        case .late: "too late: nobody waited for it any more"
        case .expired: expiry
        case .nobody: "for nobody in the register"
        }
    }

    private var expiry: Message {
        if order.action == .leave, missing == 0, !isUnheard {
            return "expired at \(rfc3339(expires)): a machine that has left reports no more"
        }
        let expiry: Message =
            missing > 0
            ? "expired at \(rfc3339(expires)) without enough signatures"
            : "expired at \(rfc3339(expires)), not obeyed"
        return isForOne
            ? expiry : "\(expiry) by \(pending.count.grouped) of \(all.count.grouped)"
    }

    fileprivate var all: [MachineID] { done + withdrawn + pending }

    /// The command that signs the same order anew.
    fileprivate var again: String {
        let account = order.account.map { " --account \($0)" } ?? ""
        let machine = if case .machine(let id) = audience { " --machine \(id)" } else { "" }
        return "mamctl fleet order \(order.action.rawValue)\(machine)\(account) --root"
            + " \(OrganizationDirectory.root) --key KEY -o \(file) --force"
    }

    private var isForOne: Bool {
        if case .machine = audience { true } else { false }
    }

    fileprivate func json(_ statuses: [Audience: MachineStatus?]) -> JSONValue {
        func list(_ ids: [MachineID]) -> JSONValue { JSONValue(texts: ids.map(\.description)) }
        return [
            "file": .string(excerpt(of: file)), "nonce": .string(nonce),
            "action": .string(order.action.rawValue),
            "account": JSONValue(order.account?.description),
            "accountName": JSONValue(accountName(statuses[audience] ?? nil).map(excerpt(of:))),
            "audience": .string(audience.description), "issued": JSONValue(time: issued),
            "expires": JSONValue(time: expires), "signedBy": list(signed),
            "missing": JSONValue(missing), "state": .string(state.rawValue),
            "obeyed": list(done), "withdrawn": list(withdrawn), "pending": list(pending),
            "withdraws": JSONValue(order.withdrawn?.description), "unheard": .bool(isUnheard),
            "again": JSONValue(isUnheard ? again : nil),
        ]
    }
}
