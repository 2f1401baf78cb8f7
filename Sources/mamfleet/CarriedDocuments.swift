// The documents of a bundle that are worth the daemon's time.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel

/// They are parsed, and verified by the daemon alone. What is no document, or is for another place
/// or machine, is left out.
struct CarriedDocuments {
    /// The documents as they go to the daemon.
    private(set) var texts: [[UInt8]] = []
    /// Those that were left out.
    private(set) var strange: [RefusedDocument] = []

    /// Nil if it is no bundle at all.
    init?(_ bytes: [UInt8], _ name: BundlePlace, for machine: MachineID) {
        guard let list = try? Bundle.elements(of: bytes) else { return nil }
        for text in list {
            do throws(Refusal) {
                try Self.check(text, name, machine)
                texts.append(text)
            } catch { strange.append(RefusedDocument(text, "\(error)")) }
        }
    }

    private static func check(
        _ text: [UInt8], _ name: BundlePlace, _ machine: MachineID
    ) throws(Refusal) {
        let envelope = try Envelope(parsing: text)
        let audience = try envelope.statement().audience
        if case .machine(let other) = audience, other != machine {
            throw .notForThisMachine(audience)
        }
        let isInPlace =
            switch name {
            case .roots: envelope.kind == .root
            case .time: envelope.kind == .time
            case .all, .group, .machine: envelope.kind != .root && envelope.kind != .time
            }
        guard isInPlace else { throw .malformed("\(name.label) is no place for it") }
    }
}

/// For the log.
struct RefusedDocument {
    let words: String

    /// Names the document by what it says that it is.
    init(_ text: [UInt8], _ reason: String) {
        let envelope = try? Envelope(parsing: text)
        let statement = try? envelope?.statement()
        let name =
            if let envelope, let statement {
                "\(envelope.kind.rawValue)/\(statement.audience)/\(statement.name)"
                    + " serial \(statement.serial)"
            } else { "what is no document" }
        words = "\(name): \(reason)"
    }
}
