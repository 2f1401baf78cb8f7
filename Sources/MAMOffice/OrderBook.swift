// The organisation's orders, and what came of them.

package import MAMFleet
package import MAMModel

package struct SurveyedOrder: Sendable {
    /// In the organisation's directory.
    package let file: String
    package let nonce: String
    package let order: Order
    package let audience: Audience
    package let issued: Int64
    package let expires: Int64
    /// Ids of order keys whose signatures are right.
    package let signed: [Bytes16]
    package let needed: Int
    /// The machines that have obeyed it.
    package fileprivate(set) var done: [MachineID] = []
    /// The machines that obeyed its withdrawal instead.
    package fileprivate(set) var withdrawn: [MachineID] = []
    package fileprivate(set) var pending: [MachineID] = []
    package fileprivate(set) var isExpired = false
    /// It expired, nobody has heard that it was obeyed, and it was not signed again.
    package fileprivate(set) var isUnheard = false
    /// Its withdrawal has enough signatures.
    package fileprivate(set) var isTakenBack = false
    /// An order to leave that is not sent before the machine's wipes are obeyed.
    package fileprivate(set) var isHeldBack = false
    /// A withdrawal of what was obeyed before.
    package fileprivate(set) var isLate = false
    /// Nobody waited for it any more when it came.
    private var didNothing = false

    package var missing: Int { max(0, needed - signed.count) }

    package enum State: String, Sendable, CaseIterable {
        /// Signatures are missing.
        case unsigned
        case pending, obeyed, withdrawn
        /// The machine has it, and nobody waited for it any more.
        case late
        /// It expired before all had obeyed it.
        case expired
        /// The register does not know the machine.
        case nobody
    }

    package var state: State {
        if missing > 0 { return isExpired ? .expired : .unsigned }
        if !pending.isEmpty { return isExpired ? .expired : .pending }
        if !withdrawn.isEmpty { return .withdrawn }
        return done.isEmpty ? .nobody : didNothing ? .late : .obeyed
    }
}

/// All orders, by the machines that they are for.
package struct OrderBook: Sendable {
    package private(set) var orders: [SurveyedOrder] = []
    package private(set) var unusable: [UnusableFile] = []
    /// Indices of orders for one machine, nearly all, that have enough signatures.
    private var byMachine: [MachineID: [Int]] = [:]
    private var forMany: [Int] = []
    /// The indices of withdrawals, by the nonce of what each withdraws.
    private var withdrawals: [String: Int] = [:]
    private let evidence: Evidence

    init(_ directory: OrganizationDirectory, root: Root, of organization: Bytes16) {
        evidence = Evidence(directory, organization)
        var listing = Listing(directory, OrganizationDirectory.orders)
        orders = listing.contents { name in
            directory.reading(name, atMost: Envelope.maximumByteCount) { bytes throws(Refusal) in
                try SurveyedOrder(name, Envelope(parsing: bytes), root, organization)
            }
        }
        unusable = listing.unusable.sorted { $0.name < $1.name }
        orders.sort { ($0.issued, $0.nonce) < ($1.issued, $1.nonce) }
        for (index, order) in orders.enumerated() where order.missing == 0 {
            if let nonce = order.order.withdrawn { withdrawals["\(nonce)"] = index }
            if case .machine(let id) = order.audience {
                byMachine[id, default: []].append(index)
            } else {
                forMany.append(index)
            }
        }
    }

    /// Nonces that the machine has reported as obeyed, in its last status or before.
    func obeyed(by machine: RegisteredMachine, _ status: MachineStatus?) -> Set<String> {
        let told = Set(status?.obeyed ?? [])
        let others = ((byMachine[machine.machine] ?? []) + forMany).map { orders[$0].nonce }
        return told.union(
            others.filter { nonce in
                !told.contains(nonce) && evidence.status(of: machine, after: nonce) != nil
            })
    }

    /// Nonces of those that did nothing, since nobody waited for them any more.
    func late(for machine: RegisteredMachine, _ status: MachineStatus?) -> Set<String> {
        let resets = (byMachine[machine.machine] ?? []).map { orders[$0] }.filter {
            $0.order.action == .reset
        }.map(\.nonce)
        return Set(
            resets.filter { nonce in
                let last =
                    status?.obeyed.contains(nonce) == true
                    ? status : evidence.status(of: machine, after: nonce)
                return last?.late.contains(nonce) ?? false
            })
    }

    /// Nonces of orders that the machine has known for a day, or could have, and has not done.
    func overdue(
        for machine: MachineID, _ obeyed: Set<String>, reported: Int64, now: Int64
    ) -> [String] {
        (byMachine[machine] ?? []).map { orders[$0] }.filter {
            reported > $0.issued + secondsPerDay && $0.expires > now
                && !obeyed.contains($0.nonce) && withdrawals[$0.nonce] == nil
                // That waits for a person, who may ask again.
                && $0.order.action != .reset
        }.map(\.nonce)
    }

    /// Nonces of orders that expired before the machine has told that it obeyed them. `reported`:
    /// when it told anything last.
    func unheard(
        from machine: MachineID, _ obeyed: Set<String>, reported: Int64?, now: Int64
    ) -> [String] {
        let all = (byMachine[machine] ?? []).map { orders[$0] }
        return all.filter { order in
            guard order.expires <= now, !obeyed.contains(order.nonce),
                withdrawals[order.nonce] == nil,
                order.order.action != .withdraw, order.order.action != .reset
            else { return false }
            // A machine that has left reports no more.
            if order.order.action == .leave, (reported ?? 0) <= order.expires { return false }
            return !all.contains { $0.order == order.order && $0.issued > order.issued }
        }.map(\.nonce)
    }

    /// Whether the machine's order to leave went out, and it has told that it obeyed all its wipes.
    /// That it left it cannot tell. `reported`: when it told anything last.
    func hasRetired(_ machine: MachineID, _ obeyed: Set<String>, reported: Int64) -> Bool {
        let all = (byMachine[machine] ?? []).map { orders[$0] }.filter {
            withdrawals[$0.nonce] == nil
        }
        guard
            all.contains(where: { $0.order.action == .leave && reported <= $0.expires }),
            all.allSatisfy({ $0.order.action != .wipe || obeyed.contains($0.nonce) })
        else { return false }
        return !orders.contains {
            $0.audience == .machine(machine) && $0.order.action == .wipe && $0.missing > 0
        }
    }

    /// Notes what the machines have said. Those that were revoked are still sent their own orders.
    mutating func fill(from machines: [SurveyedMachine], _ wanted: Wanted, at now: Int64) {
        for machine in machines {
            let id = machine.entry.machine
            let groups = wanted.groups(of: id)
            let many = forMany.filter { index in
                orders[index].audience.includes(id, in: groups)
                    && (!machine.isRevoked || machine.obeyed.contains(orders[index].nonce))
            }
            for index in (byMachine[id] ?? []) + many {
                orders[index].note(machine)
                if machine.unheard.contains(orders[index].nonce) { orders[index].isUnheard = true }
            }
        }
        for index in orders.indices { orders[index].isExpired = orders[index].expires <= now }
        noteWithdrawals()
        noteHeldBack()
    }

    private mutating func noteHeldBack() {
        let open = orders.filter {
            $0.order.action == .wipe && !$0.isTakenBack
                && ($0.state == .pending || $0.state == .unsigned)
        }
        let waiting = Set(open.map(\.audience))
        for index in orders.indices where orders[index].order.action == .leave {
            orders[index].isHeldBack = waiting.contains(orders[index].audience)
        }
    }

    private mutating func noteWithdrawals() {
        for index in orders.indices {
            guard let withdrawal = withdrawals[orders[index].nonce] else { continue }
            orders[index].isTakenBack = true
            let machines = Set(orders[withdrawal].done)
            if !machines.isDisjoint(with: orders[index].done) { orders[withdrawal].isLate = true }
            let pending = orders[index].pending
            orders[index].withdrawn = pending.filter { machines.contains($0) }
            orders[index].pending = pending.filter { !machines.contains($0) }
        }
    }
}

extension SurveyedOrder {
    fileprivate init(
        _ file: String, _ envelope: Envelope, _ root: Root, _ organization: Bytes16
    ) throws(Refusal) {
        let statement = try envelope.statement(of: organization)
        guard envelope.kind == .order else { throw .malformed("it is no order") }
        (self.file, audience, nonce) = (file, statement.audience, statement.name)
        (issued, expires) = (statement.issued, statement.expires ?? statement.issued)
        order = try Order(in: envelope, statement)
        needed = try SignedDocument.signaturesNeeded(envelope, by: root)
        signed = envelope.signers(among: root.keys(of: .order)).sorted {
            $0.description < $1.description
        }
    }

    fileprivate mutating func note(_ machine: SurveyedMachine) {
        if machine.late.contains(nonce) { didNothing = true }
        if machine.obeyed.contains(nonce) {
            done.append(machine.entry.machine)
        } else {
            pending.append(machine.entry.machine)
        }
    }
}
