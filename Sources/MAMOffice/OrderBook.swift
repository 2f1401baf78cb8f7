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
    /// The machines that have accepted it, and are not done with all that they accepted.
    package fileprivate(set) var underWay: [MachineID] = []
    package fileprivate(set) var pending: [MachineID] = []
    package fileprivate(set) var isExpired = false

    package var missing: Int { max(0, needed - signed.count) }

    package enum State: String, Sendable, CaseIterable {
        /// Signatures are missing.
        case unsigned
        case pending, underWay, obeyed
        /// It expired before all had obeyed it.
        case expired
        /// The register does not know the machine.
        case nobody
    }

    package var state: State {
        if missing > 0 { return isExpired ? .expired : .unsigned }
        if !pending.isEmpty { return isExpired ? .expired : .pending }
        if !underWay.isEmpty { return .underWay }
        return done.isEmpty ? .nobody : .obeyed
    }
}

/// All orders, by the machines that they are for.
package struct OrderBook: Sendable {
    package private(set) var orders: [SurveyedOrder] = []
    package private(set) var unusable: [UnusableFile] = []
    /// Indices of orders for one machine, nearly all, that have enough signatures.
    private var byMachine: [MachineID: [Int]] = [:]
    private var forMany: [Int] = []

    init(_ directory: OrganizationDirectory, root: Root, of organization: Bytes16) {
        var listing = Listing(directory, OrganizationDirectory.orders)
        orders = listing.contents { name in
            directory.reading(name, atMost: Envelope.maximumByteCount) { bytes throws(Refusal) in
                try SurveyedOrder(name, Envelope(parsing: bytes), root, organization)
            }
        }
        unusable = listing.unusable.sorted { $0.name < $1.name }
        orders.sort { ($0.issued, $0.nonce) < ($1.issued, $1.nonce) }
        for (index, order) in orders.enumerated() where order.missing == 0 {
            if case .machine(let id) = order.audience {
                byMachine[id, default: []].append(index)
            } else {
                forMany.append(index)
            }
        }
    }

    /// Nonces of orders that the machine has known for a day, or could have, and has not done.
    func overdue(
        for machine: MachineID, _ status: MachineStatus, _ issued: Int64, now: Int64
    ) -> [String] {
        (byMachine[machine] ?? []).map { orders[$0] }.filter {
            issued > $0.issued + secondsPerDay && $0.expires > now
                && ($0.isAccepted(status) ? status.pending > 0 : true)
        }.map(\.nonce)
    }

    /// Notes what the machines have said.
    mutating func fill(from machines: [SurveyedMachine], _ wanted: Wanted, at now: Int64) {
        for machine in machines where !machine.isRevoked {
            let id = machine.entry.machine
            for index in (byMachine[id] ?? []) + forMany
            where orders[index].audience.includes(id, in: wanted.groups(of: id)) {
                orders[index].note(machine.status, of: id)
            }
        }
        for index in orders.indices { orders[index].isExpired = orders[index].expires <= now }
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
        order = try Order(parsing: envelope.content)
        needed = try SignedDocument.signaturesNeeded(envelope, by: root)
        signed = envelope.signers(among: root.keys(of: .order)).sorted {
            $0.description < $1.description
        }
    }

    fileprivate func isAccepted(_ status: MachineStatus) -> Bool { status.obeyed.contains(nonce) }

    fileprivate mutating func note(_ status: MachineStatus?, of machine: MachineID) {
        guard let status, isAccepted(status) else {
            pending.append(machine)
            return
        }
        if status.pending > 0 { underWay.append(machine) } else { done.append(machine) }
    }
}
