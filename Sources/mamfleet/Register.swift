// The machines that the organisation has let in.

internal import MAMFleet
internal import MAMModel
internal import MAMOffice

/// machines/MACHINE.json: read when a machine is first asked for.
final class Register {
    private let directory: OrganizationDirectory
    private var keys: [MachineID: [UInt8]?] = [:]

    init(_ office: Office) { directory = office.directory }

    /// The machine's public key; nil if it is not registered.
    func key(of machine: MachineID) -> [UInt8]? {
        if let known = keys[machine] { return known }
        let file = try? directory.read(
            directory.machineFile(machine), atMost: RegisteredMachine.maximumByteCount)
        let found = file.flatMap { try? RegisteredMachine(parsing: $0) }
            .flatMap { $0.machine == machine ? $0.publicKey : nil }
        keys[machine] = .some(found)
        return found
    }

    /// Machines may have been let in since.
    func reload() { keys = keys.filter { $0.value != nil } }
}
