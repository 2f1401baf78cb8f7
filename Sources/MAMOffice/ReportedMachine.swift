// A machine of the register with its status alone: all reports of a large fleet take seconds.

package import MAMFleet
package import MAMModel

package struct ReportedMachine: Sendable {
    package let entry: RegisteredMachine
    /// Nil if it has sent none that counts.
    package let status: MachineStatus?

    /// The register's name, which the administrator gave, else what it calls itself.
    package var label: String { entry.name.isEmpty ? status?.host ?? "" : entry.name }

    /// By what it calls itself only if the register has no name for it.
    package func isNamed(_ text: String) -> Bool {
        entry.isNamed(text)
            || (entry.name.isEmpty && Bytes16(hex: text) == nil && status?.host == text)
    }
}

extension OrganizationDirectory {
    /// Nil for one that the register does not know.
    package func machine(_ id: MachineID, in organization: Bytes16) -> ReportedMachine? {
        guard case .success(let entry) = registered(machineFile(id)) else { return nil }
        return reported(entry, in: organization)
    }

    package func reported(
        _ entry: RegisteredMachine, in organization: Bytes16
    ) -> ReportedMachine {
        guard
            case .success(let report) = report(
                statusFile(entry.machine), of: entry, in: organization),
            case .status(let status) = report.content
        else { return ReportedMachine(entry: entry, status: nil) }
        return ReportedMachine(entry: entry, status: status)
    }
}
