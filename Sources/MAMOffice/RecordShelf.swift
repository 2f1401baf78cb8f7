// The recovery records that machines have sent.

package import MAMFleet
package import MAMModel

/// One account's newest record, or that there is none.
package struct SurveyedRecord: Sendable {
    package let entry: RegisteredMachine
    package let account: Bytes16
    /// The account's name on the machine; nil if neither its status nor its record has it.
    package let name: String?
    package let found: Found
    /// How it is known that the account is gone from its machine; nil if it may be there.
    package let wiped: Wiped?

    package enum Wiped: Sendable, Equatable {
        /// By the order with this nonce, which the machine has obeyed.
        case order(String)
        /// The machine's status of this time, in seconds since 1970, has it no more.
        case unlisted(since: Int64)
    }

    package enum Found: Sendable {
        case none
        /// There is one that does not count, and why.
        case refused(String)
        case record(RecordReport, issued: Int64)
    }

    package func isNamed(_ text: String) -> Bool { account.description == text || name == text }
}

extension Survey {
    /// The records of all accounts that the machines report, and of all that have one here. Throws
    /// if those here cannot be listed.
    package func records(
        _ directory: OrganizationDirectory, of organization: Bytes16, machines indices: [Int]? = nil
    ) throws(OrganizationDirectory.Failure) -> [SurveyedRecord] {
        let included = indices?.map { machines[$0] } ?? machines.filter { !$0.isRevoked }
        let wipes = orders.wipes
        let found = inParts(included) { machine in
            Result { () throws(OrganizationDirectory.Failure) in
                try Self.records(of: machine, directory, organization, wipes)
            }
        }
        let records = try found.map { result throws(OrganizationDirectory.Failure) in
            try result.get()
        }
        return records.flatMap(\.self).sorted {
            ($0.entry.name, $0.entry.machine.description, $0.name ?? "", $0.account.high)
                < ($1.entry.name, $1.entry.machine.description, $1.name ?? "", $1.account.high)
        }
    }

    private static func records(
        of machine: SurveyedMachine, _ directory: OrganizationDirectory, _ organization: Bytes16,
        _ wipes: [WipedAccount: String]
    ) throws(OrganizationDirectory.Failure) -> [SurveyedRecord] {
        let place = "\(OrganizationDirectory.records)/\(machine.entry.machine)"
        var names: [Bytes16: String?] = [:]
        for name in try directory.files(below: place) {
            if let id = Bytes16(hex: stem(name)) { names.updateValue(nil, forKey: id) }
        }
        for account in machine.status?.accounts ?? [] { names[account.id] = account.name }
        return names.map { account, name in
            let found = found(directory, account, machine.entry, organization)
            var known = name
            if case .record(let report, _) = found { known = known ?? report.name }
            let order = wipes[WipedAccount(machine: machine.entry.machine, account: account)]
            return SurveyedRecord(
                entry: machine.entry, account: account, name: known, found: found,
                wiped: machine.wiped(account, found, by: order))
        }
    }

    private static func found(
        _ directory: OrganizationDirectory, _ account: Bytes16, _ entry: RegisteredMachine,
        _ organization: Bytes16
    ) -> SurveyedRecord.Found {
        let name = directory.recordFile(entry.machine, account)
        switch directory.report(name, of: entry, in: organization) {
        case nil: return .none
        case .failure(let error): return .refused(error.reason)
        case .success(let report):
            guard case .recoveryRecord(let record) = report.content else {
                return .refused("it is no recovery record")
            }
            guard record.account == account else {
                return .refused("it is the record of another account, \(record.account)")
            }
            return .record(record, issued: report.issued)
        }
    }
}

private struct WipedAccount: Hashable {
    let machine: MachineID
    let account: Bytes16
}

extension OrderBook {
    /// The wipes that machines have obeyed, by nonce.
    fileprivate var wipes: [WipedAccount: String] {
        var found: [WipedAccount: String] = [:]
        for order in orders where order.order.action == .wipe {
            guard let account = order.order.account else { continue }
            for machine in order.done {
                found[WipedAccount(machine: machine, account: account)] = order.nonce
            }
        }
        return found
    }
}

extension SurveyedMachine {
    /// `order`: a wipe of the account that it has obeyed.
    fileprivate func wiped(
        _ account: Bytes16, _ found: SurveyedRecord.Found, by order: String?
    ) -> SurveyedRecord.Wiped? {
        // The machine may have accounts that its status has no room for.
        guard let status, let issued, status.accounts.count < MachineStatus.maximumAccountCount,
            !status.accounts.contains(where: { $0.id == account })
        else { return nil }
        if let order { return .order(order) }
        guard case .record(_, let sent) = found, sent < issued else { return nil }
        return .unlisted(since: issued)
    }
}
