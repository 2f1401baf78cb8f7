// What remains of a machine's word that it obeyed an order, once its newest status has it no more.
//
// A machine forgets orders that have expired, and a status has room for a hundred.

package import MAMFleet
internal import MAMModel

/// `reports/obeyed/MACHINE/NONCE.json`: the last status that had the nonce. Like every report it is
/// verified when it is read.
struct Evidence: Sendable {
    private let directory: OrganizationDirectory
    private let organization: Bytes16
    private let names: Set<String>

    init(_ directory: OrganizationDirectory, _ organization: Bytes16) {
        (self.directory, self.organization) = (directory, organization)
        names = Set(Listing(directory, OrganizationDirectory.obeyed).names)
    }

    /// Nil: it does not tell that the machine obeyed the order.
    func status(of machine: RegisteredMachine, after nonce: String) -> MachineStatus? {
        let name = directory.obeyedFile(machine.machine, nonce)
        guard names.contains(name),
            case .success(let report) = directory.report(name, of: machine, in: organization),
            case .status(let status) = report.content
        else { return nil }
        return status.obeyed.contains(nonce) ? status : nil
    }
}

extension OrganizationDirectory {
    static let obeyed = "reports/obeyed"

    func obeyedFile(_ id: MachineID, _ nonce: String) -> String {
        "\(Self.obeyed)/\(id)/\(nonce).json"
    }

    /// Keeps the status that is here, before `next` replaces it, for each order in this directory
    /// that it says was obeyed and `next` does not.
    package func keepObeyed(of machine: MachineID, before next: MachineStatus) throws(Failure) {
        let name = statusFile(machine)
        guard try has(name) else { return }
        let bytes = try read(name, atMost: ReportEnvelope.maximumByteCount + 1)
        let lost = nonces(in: bytes).subtracting(next.obeyed)
        guard !lost.isEmpty else { return }
        // Machines may name nonces without end.
        for nonce in try orderNonces().intersection(lost) {
            try writePrivately(obeyedFile(machine, nonce), bytes)
        }
    }

    private func nonces(in status: [UInt8]) -> Set<String> {
        guard let payload = (try? ReportEnvelope(parsing: status))?.payload,
            let members = (try? JSONValue(parsing: payload))?.object
        else { return [] }
        return Set(members["obeyed"]?.elements(\.text) ?? [])
    }

    private func orderNonces() throws(Failure) -> Set<String> {
        var found: Set<String> = []
        for name in try files(below: Self.orders) {
            let bytes = try read(name, atMost: Envelope.maximumByteCount)
            guard let statement = try? Envelope(parsing: bytes).statement() else { continue }
            // It becomes a file's name.
            if let nonce = Bytes16(hex: statement.name) { found.insert("\(nonce)") }
        }
        return found
    }
}
