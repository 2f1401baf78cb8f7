// `fleet verify`: what documents say, and what a machine would answer.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func verifyDocuments(_ invocation: Invocation) throws -> ExitStatus {
    let arguments = invocation.arguments
    let root = try arguments.value("root").map { try FleetRoot(reading: $0) }
    let previous = try arguments.value("previous").map { try FleetRoot(reading: $0) }
    var first = ExitStatus.success
    var values: [JSONValue] = []
    for (index, path) in invocation.operands.enumerated() {
        do throws(Failure) {
            let file = try FleetFile(reading: path)
            let refusal = try refusal(of: file, root, previous)
            values.append(file.json(root?.root, refusal: refusal.map(\.description)))
            if !invocation.isJSON {
                printOut(verbatim: (index == 0 ? "" : "\n") + file.words(root?.root))
            }
            if let refusal { throw Failure(path, refusal) }
        } catch {
            if first == .success { first = error.status }
            if values.count <= index {
                values.append(["path": .string(path.shown), "error": error.json])
            }
            error.report(isJSON: false)
        }
    }
    if invocation.isJSON { printJSON(.array(values)) }
    return first
}

/// Why a machine would refuse it; nil if it would not. The machine itself knows more: its groups,
/// and what it has accepted already.
func refusal(
    of file: FleetFile, _ root: FleetRoot?, _ previous: FleetRoot?
) throws(Failure) -> Refusal? {
    let envelope = file.envelope
    if envelope.kind == .root { return rootRefusal(envelope, root, previous) }
    guard let root else {
        throw Failure(
            .usage, "\(file.path.shown): --root is needed: it says whose signatures count",
            next: "mamctl fleet verify \(file.path.asArgument) --root ROOT")
    }
    do throws(Refusal) {
        if let wrong = try Signatures(of: envelope, by: root.root).wrong.first {
            return .malformed("its signature of key \(wrong) is not that key's")
        }
        let document = try SignedDocument(envelope, by: root.root, of: root.organization)
        try document.checkContent()
        let flaw =
            envelope.kind == .policy
            ? try policyFlaw(of: envelope)
            : envelope.content.isEmpty ? nil : flaw(of: envelope.content, as: envelope.kind)
        if let flaw { return .malformed(flaw) }
        if let expires = document.statement.expires, expires <= Int64(currentTime()) {
            return .expired(expires)
        }
        try document.requireOrderKeys(by: root.root)
    } catch { return error }
    return nil
}

private func rootRefusal(
    _ envelope: Envelope, _ root: FleetRoot?, _ previous: FleetRoot?
) -> Refusal? {
    do throws(Refusal) {
        let own = try Root(parsing: envelope.content)
        if let wrong = try Signatures(of: envelope, by: own).wrong.first {
            return .malformed("its signature of key \(wrong) is not that key's")
        }
        let document = try SignedDocument(root: envelope)
        if let root, document.statement.organization != root.organization {
            return .otherOrganization(document.statement.organization)
        }
        guard let previous else { return nil }
        var standing = try MachineStanding(pinning: previous.file.envelope, machine: .zero)
        _ = try standing.accept(envelope, at: Int64(currentTime()))
    } catch { return error }
    return nil
}
