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
        let found = inParts(included) { machine in
            Result { () throws(OrganizationDirectory.Failure) in
                try Self.records(of: machine, directory, organization)
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
        of machine: SurveyedMachine, _ directory: OrganizationDirectory, _ organization: Bytes16
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
            return SurveyedRecord(
                entry: machine.entry, account: account, name: known, found: found)
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
