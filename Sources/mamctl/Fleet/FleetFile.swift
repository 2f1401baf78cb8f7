// An organisation's documents in files.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// A document; its signatures were not checked, but that its content is the one that was signed.
struct FleetFile {
    let path: ByteString
    var envelope: Envelope
    let statement: Statement

    init(_ path: ByteString, _ envelope: Envelope) throws(Failure) {
        (self.path, self.envelope) = (path, envelope)
        do throws(Refusal) {
            statement = try envelope.statement()
            guard statement.isOf(envelope.content) else { throw .contentChanged }
        } catch { throw Failure(path, error) }
    }

    /// A new document, which nobody has signed yet.
    init(
        _ path: ByteString, _ slot: Slot, _ content: [UInt8], of organization: Bytes16,
        serial: Int64, issued: Int64, expires: Int64?, ring: Ring? = nil
    ) throws(Failure) {
        let statement = Statement(
            of: content, organization: organization, audience: slot.audience, name: slot.name,
            serial: serial, issued: issued, expires: expires, ring: ring)
        try self.init(path, Envelope(slot.kind, statement, content: content))
    }

    /// A new order, which nobody has signed yet.
    init(
        _ path: ByteString, _ order: Order, for audience: Audience, of organization: Bytes16,
        issued: Int64, expires: Int64
    ) throws(Failure) {
        try self.init(
            path,
            Envelope(order, for: audience, of: organization, issued: issued, expires: expires))
    }

    init(reading path: ByteString) throws(Failure) {
        let bytes = try readFile(path, atMost: Envelope.maximumByteCount)
        let envelope: Envelope
        do throws(Refusal) { envelope = try Envelope(parsing: bytes) } catch {
            throw Failure(path, error)
        }
        try self.init(path, envelope)
    }

    var slot: Slot { Slot(envelope.kind, statement.audience, statement.name) }

    /// Signs with the verb's key, which must have the role, and writes it.
    mutating func finish(_ root: FleetRoot, _ invocation: Invocation) throws {
        let key = try FleetKey(of: invocation)
        try key.require(slot, in: root.root)
        try key.sign(&envelope)
        try write(replacing: invocation.arguments.has("force"))
        // The time is signed each six hours, by a server.
        if envelope.kind != .time { note(.sign, [self]) }
        report([self], by: root.root, invocation)
    }

    var isForStandardOutput: Bool { path.text == "-" }

    /// Refuses what no machine would read.
    func write(replacing: Bool) throws(Failure) {
        let bytes = envelope.encoded()
        do throws(Refusal) { _ = try Envelope(parsing: bytes) } catch {
            throw Failure(
                .usage, "\(path.shown): not written, no machine would accept it: \(error)",
                next: "sign a smaller document")
        }
        if isForStandardOutput { return writeOut(bytes) }
        try makeOrganizationPlace(for: path)
        try keepReplaced(at: path, before: bytes)
        let new = try NewFile(for: path, replacing: replacing)
        try new.write(bytes)
        try new.finish(mode: 0o644)
    }
}

/// What an organisation's `signed/` has stays beside it, in `former/`.
private func keepReplaced(at path: ByteString, before bytes: [UInt8]) throws(Failure) {
    let directory = OrganizationDirectory(path.directory.directory)
    guard path.directory.lastComponent.text == OrganizationDirectory.signed,
        let name = path.lastComponent.text
    else { return }
    do throws(OrganizationDirectory.Failure) {
        guard try directory.has(OrganizationDirectory.root) else { return }
        try directory.keep(signed: "\(OrganizationDirectory.signed)/\(name)", before: bytes)
    } catch { throw Failure(error) }
}

/// Makes `signed/` or `orders/` beside a root, which the first document of a new organisation's
/// would miss.
private func makeOrganizationPlace(for path: ByteString) throws(Failure) {
    let place = path.directory
    let names = [OrganizationDirectory.signed, OrganizationDirectory.orders]
    guard let name = place.lastComponent.text, names.contains(name),
        access(place.directory.appending(OrganizationDirectory.root).cString, F_OK) == 0,
        mkdir(place.cString, 0o755) != 0
    else { return }
    let error = Errno.current
    guard error == .exists else { throw Failure(place, error) }
}

/// A root that its own keys have signed.
struct FleetRoot {
    let file: FleetFile
    let root: Root
    var organization: Bytes16 { file.statement.organization }

    /// `requiresSignatures`: else the root may still wait for some.
    init(reading path: ByteString, requiresSignatures: Bool = true) throws(Failure) {
        file = try FleetFile(reading: path)
        do throws(Refusal) {
            guard file.envelope.kind == .root else { throw .malformed("it is no root") }
            root = try Root(parsing: file.envelope.content)
            if requiresSignatures { _ = try SignedDocument(root: file.envelope) }
        } catch { throw Failure(path, error) }
    }

    init(of invocation: Invocation) throws(Failure) {
        try self.init(reading: required("root", invocation))
    }

    /// Without `--root` the one that is in force.
    init(of invocation: Invocation, orOf directory: OrganizationDirectory) throws(Failure) {
        try self.init(
            reading: invocation.arguments.value("root")
                ?? directory.whole(OrganizationDirectory.root))
    }
}

extension Failure {
    init(_ path: ByteString, _ refusal: Refusal) {
        let next: Message? =
            switch refusal {
            case .malformed, .contentChanged: "have it sent or signed again"
            case .otherNonce: "remove it, and sign it anew: mamctl fleet order"
            case .notSigned(.root, _, _): "mamctl fleet cosign \(path.asArgument) --key KEY"
            case .notSigned: .verbatim(cosigning(path))
            case .recoveryKeyNotOrdered: "have order keys sign it: \(cosigning(path))"
            case .outOfScope: "have a policy key without a scope sign it"
            case .expired: "sign it again"
            case .otherOrganization: "name the root of that organisation"
            default: nil
            }
        self.init(refusal.status, "\(path.shown): \(refusal)", next: next)
    }
}

/// The command that signs a document, too: with the root of its organisation's directory, if it
/// stands in one.
func cosigning(_ path: ByteString) -> String {
    var directory = path.directory
    for _ in 0..<3 {
        let root = directory.appending(OrganizationDirectory.root)
        if access(root.cString, F_OK) == 0 {
            return "mamctl fleet cosign \(path.asArgument) --key KEY --root \(root.asArgument)"
        }
        directory = directory.directory
    }
    return "mamctl fleet cosign \(path.asArgument) --key KEY --root ROOT"
}

extension Refusal {
    /// What cannot be what was signed is damaged; everything else is a rule's decision.
    var status: ExitStatus {
        switch self {
        case .malformed, .contentChanged: .damaged
        default: .refused
        }
    }
}
