// The public keys of the machines in the organisation's register.

internal import MAMFleet
internal import MAMModel
internal import MAMOffice

/// Reads machines/MACHINE.json when a machine is first asked for.
final class MachineKeys {
    private let directory: OrganizationDirectory
    private var keys: [MachineID: [UInt8]?] = [:]
    /// Entries that cannot be read, each with its reason: their machines are unknown.
    private(set) var unreadable: Set<String> = []

    init(_ office: Office) { directory = office.directory }

    /// The machine's public key; nil if it is not registered.
    func key(of machine: MachineID) -> [UInt8]? {
        if let known = keys[machine] { return known }
        let found = read(directory.machineFile(machine))
        keys[machine] = .some(found)
        return found
    }

    private func read(_ file: String) -> [UInt8]? {
        switch directory.registered(file) {
        case nil: return nil
        case .success(let entry): return entry.publicKey
        case .failure(let error):
            unreadable.insert("\(directory.whole(file).shown): \(error.reason)")
            return nil
        }
    }

    /// Looks again for machines that were not registered.
    func reload() { keys = keys.filter { $0.value != nil } }
}
