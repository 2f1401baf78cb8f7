// When the order to leave is sent: a machine that has left obeys and reports nothing any more.

internal import MAMFleet
internal import MAMModel

extension OrganizationDirectory {
    /// Whether it is an order to leave that waits until the machine has told that it obeyed its
    /// wipes. Of a machine that is not on the register nothing is ever heard.
    func isHeldBack(
        _ order: SignedDocument, by all: [SignedDocument], _ unsignedWipes: [Audience],
        of organization: Bytes16
    ) -> Bool {
        guard order.action == .leave, case .machine(let id) = order.statement.audience,
            case .success(let machine) = registered(machineFile(id))
        else { return false }
        if unsignedWipes.contains(order.statement.audience) { return true }
        let wipes = all.filter {
            $0.action == .wipe && $0.statement.audience == order.statement.audience
        }
        guard !wipes.isEmpty else { return false }
        let told = obeyed(of: machine, in: organization)
        let evidence = Evidence(self, organization)
        return wipes.contains {
            let nonce = $0.statement.name
            return !told.contains(nonce) && evidence.status(of: machine, after: nonce) == nil
        }
    }

    private func obeyed(of machine: RegisteredMachine, in organization: Bytes16) -> [String] {
        guard
            case .success(let report) = report(
                statusFile(machine.machine), of: machine, in: organization),
            case .status(let status) = report.content
        else { return [] }
        return status.obeyed
    }
}

extension SignedDocument {
    fileprivate var action: Order.Action? {
        kind == .order ? (try? order())?.action : nil
    }
}

extension Envelope {
    /// Whom a wipe is for, by the word of nobody; nil for anything else, and what has expired.
    func wipe(at now: Int64) -> Audience? {
        guard (try? Order(parsing: content))?.action == .wipe, let statement = try? statement(),
            statement.expires ?? 0 > now
        else { return nil }
        return statement.audience
    }
}
