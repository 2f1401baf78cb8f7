// The documents of a bundle that are worth the daemon's time.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel

/// They are parsed, and verified by the daemon alone. What cannot be for this machine is left out.
struct CarriedDocuments {
    /// The documents as they go to the daemon.
    private(set) var texts: [[UInt8]] = []
    /// The number of documents that were left out.
    private(set) var strangeCount = 0

    /// Nil if it is no bundle at all.
    init?(_ bytes: [UInt8], _ name: BundlePlace, of organization: Bytes16, for machine: MachineID) {
        guard let list = try? Bundle.elements(of: bytes) else { return nil }
        for text in list {
            if Self.isPlausible(text, name, organization, machine) {
                texts.append(text)
            } else {
                strangeCount += 1
            }
        }
    }

    private static func isPlausible(
        _ text: [UInt8], _ name: BundlePlace, _ organization: Bytes16, _ machine: MachineID
    ) -> Bool {
        guard let envelope = try? Envelope(parsing: text),
            let statement = try? envelope.statement(), statement.organization == organization
        else { return false }
        if case .machine(let other) = statement.audience, other != machine { return false }
        return switch name {
        case .roots: envelope.kind == .root
        case .time: envelope.kind == .time
        case .all, .group, .machine: envelope.kind != .root && envelope.kind != .time
        }
    }
}
