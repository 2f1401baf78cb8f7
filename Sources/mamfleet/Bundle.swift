// The documents of a bundle that are worth the daemon's time.

internal import MAMCarrier
internal import MAMFleet
internal import MAMModel

/// Parsed, and nothing verified: that is for the daemon. What could not be for this machine anyhow
/// is left out.
struct Bundle {
    /// As they go to the daemon.
    private(set) var documents: [[UInt8]] = []
    /// Those that were left out.
    private(set) var strangeCount = 0

    /// Each envelope has some ten values.
    private static let maximumValueCount = 100_000

    /// Nil if it is no bundle at all.
    init?(_ bytes: [UInt8], _ name: BundlePlace, of organization: Bytes16, for machine: MachineID) {
        guard let json = try? JSONValue(parsing: bytes, maximumCount: Self.maximumValueCount),
            let list = json.array
        else { return nil }
        for element in list {
            let text = element.encoded()
            if Self.isPlausible(text, name, organization, machine) {
                documents.append(text)
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
