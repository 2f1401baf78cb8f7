// A machine as it is shown before something is decided about it.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMWire

extension Survey {
    /// The machine of the operand MACHINE: an id, or a name of one machine alone.
    func machine(of invocation: Invocation) throws(Failure) -> SurveyedMachine {
        let text = invocation.operands[0].text ?? ""
        let id = try FleetNames(of: invocation).machine(text, "the machine")
        guard let machine = machine(id) else { throw unknownMachine(text) }
        return machine
    }

    /// Nil for one whose entry cannot be read.
    func machine(_ id: MachineID) -> SurveyedMachine? {
        machines.first { $0.entry.machine == id }
    }

    /// Orders for the machine alone that it has not been heard to obey, and may yet.
    func openOrders(for machine: MachineID) -> [SurveyedOrder] {
        orders.orders.filter {
            $0.audience == .machine(machine) && ($0.state == .pending || $0.state == .unsigned)
        }
    }

    /// Its name, its id, when it was last heard of, and the orders that it has not obeyed.
    func words(for machine: SurveyedMachine) -> String {
        let entry = machine.entry
        var rows: [[Message]] = [
            ["machine", .verbatim(entry.machine.description)],
            ["name", .verbatim(excerpt(of: machine.label))],
            ["last report", lastReport(of: machine)],
        ]
        if let revoked = entry.revoked {
            let reason = entry.reason.map { ", \(excerpt(of: $0))" } ?? ""
            rows.append(["revoked", .verbatim(rfc3339(revoked) + reason)])
        }
        rows += openOrders(for: entry.machine).map { order in
            ["order \(order.nonce.prefix(8))", order.words(machine.status)]
        }
        return table(rows)
    }

    private func lastReport(of machine: SurveyedMachine) -> Message {
        switch machine.report {
        case .none: "never"
        case .refused(let reason): "it does not count: \(excerpt(of: reason))"
        case .status(_, let issued): "\(rfc3339(issued)), \(Int(time - issued).asTimeAgo)"
        }
    }
}

extension SurveyedOrder {
    /// What is ordered, and what came of it. `status`: it has the account's name.
    func words(_ status: MachineStatus?) -> Message { "\(what(status)), \(outcome)" }

    /// What is ordered, and of a wipe whose.
    func what(_ status: MachineStatus?) -> Message {
        guard let account = order.account else { return .verbatim(action) }
        return "\(action) of \(excerpt(of: accountName(status) ?? account.description))"
    }

    /// Nil once the machine has the account no more.
    func accountName(_ status: MachineStatus?) -> String? {
        status?.accounts.first { $0.id == order.account }?.name
    }

    /// Of a withdrawal with the beginning of the other order's nonce.
    var action: String {
        let other = order.withdrawn.map { " \($0.description.prefix(8))" } ?? ""
        return order.action.rawValue + other
    }
}
