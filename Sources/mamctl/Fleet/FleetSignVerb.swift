// `fleet sign`: policies, memberships and settings.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

func signDocument(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.documentOutput()
    let root = try FleetRoot(of: invocation)
    guard let kind = DocumentKind(rawValue: try required("kind", invocation).shown) else {
        throw invocation.misuse("--kind must be policy, membership or settings")
    }
    let content = try content(kind, invocation)
    let slot = Slot(kind, try audience(invocation), try name(invocation))
    let (issued, expires) = try validity(
        days: usualDays, atMost: SignedDocument.longestDays, invocation)
    var file = try FleetFile(
        output, slot, content, of: root.organization,
        serial: nextSerial(of: slot, replacing: output, invocation), issued: issued,
        expires: expires)
    warnOfNobody(slot.audience, root, invocation)
    try file.finish(root, invocation)
    return .success
}

/// Before it is signed. Without the organisation's directory nobody knows.
private func warnOfNobody(_ audience: Audience, _ root: FleetRoot, _ invocation: Invocation) {
    let place = namedOrganization(invocation) ?? root.file.path.directory
    let directory = OrganizationDirectory(place)
    guard case .group(let group) = audience,
        (try? directory.has(OrganizationDirectory.machines)) == true,
        let known = try? KnownGroups(directory), !known.haveMachines(in: group)
    else { return }
    printError("Nobody is in the group \(group): no machine, invitation or membership has it.")
}

private func audience(_ invocation: Invocation) throws(Failure) -> Audience {
    let text = try required("audience", invocation)
    guard let audience = text.text.flatMap(Audience.init) else {
        throw invocation.misuse("--audience is '\(text.shown)', not all, group:NAME or machine:ID")
    }
    return audience
}

/// The file's, unless another is given.
private func name(_ invocation: Invocation) throws(Failure) -> String {
    let text =
        try invocation.arguments.text("name") ?? invocation.operands.first?.lastComponent.text
    guard let text, isName(text) else {
        throw invocation.misuse(
            "--name is needed: 1 to 100 letters, digits, '.', '_' and '-', and no '.' in front")
    }
    return text
}

private func content(
    _ kind: DocumentKind, _ invocation: Invocation
) throws(Failure) -> [UInt8] {
    let isWithdrawal = invocation.arguments.has("withdraw")
    guard isWithdrawal != (invocation.operands.count == 1) else {
        throw invocation.misuse(isWithdrawal ? "--withdraw takes no FILE" : "FILE is missing")
    }
    guard let path = invocation.operands.first else {
        guard kind != .membership else {
            throw invocation.misuse(
                "--withdraw is for policies and settings; a membership may be empty")
        }
        return []
    }
    let bytes = documentText(try readFile(path, atMost: Envelope.maximumByteCount))
    if let flaw = flaw(of: bytes, as: kind) {
        let place = kind == .settings ? settingsPlace(of: bytes) : ""
        throw Failure(
            .usage, "\(path.shown)\(place): not signed, machines would refuse it: \(flaw)",
            next: kind == .policy ? "mamctl policy check \(path.asArgument)" : nil)
    }
    return bytes
}

/// The same of the policies in an envelope, which may withdraw them.
func policyFlaw(of envelope: Envelope) throws(Refusal) -> String? {
    try envelope.policies().lazy.compactMap { flaw(of: $0, as: .policy) }.first
}

/// Why a machine would refuse a content that is signed well.
func flaw(of content: [UInt8], as kind: DocumentKind) -> String? {
    switch kind {
    case .policy:
        guard !content.isEmpty else { return "it is empty" }
        do throws(PolicyError) { _ = try PolicyDocument.decode(content) } catch {
            return ByteString("\(error)").shown
        }
    case .membership:
        do throws(Refusal) { _ = try Membership(parsing: content) } catch { return "\(error)" }
    case .settings:
        guard !content.isEmpty else { return "it is empty" }
        do throws(PolicyError) { _ = try AskedSettings(parsing: content) } catch {
            return ByteString("\(error)").shown
        }
    case .root, .order, .time: break
    }
    return nil
}
