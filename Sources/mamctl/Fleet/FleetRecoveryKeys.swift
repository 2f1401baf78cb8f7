// Policies that name a recovery key: what is said of them, and who signs them beside a policy key.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Machines would refuse what one policy key has signed, and order keys sign elsewhere.
func refuseToSend(_ documents: [SteppedDocument], _ fleet: FleetDirectory) throws(Failure) {
    guard let document = documents.first(where: \.namesRecoveryKey) else { return }
    let needed = fleet.root.root.threshold(of: .order)
    throw Failure(
        .refused,
        "\(document.slot) names a recovery key: machines refuse it before"
            + " \(needed.counted("order key")) have signed it, too",
        next: "add --local; then mamctl fleet cosign with those keys, and mamfleet push")
}

/// Of documents that were signed, and not sent.
func tellHowTheyGoOut(from fleet: FleetDirectory) throws {
    let place = fleet.place.whole(OrganizationDirectory.signed).shown
    let waiting = try cosigning(in: fleet)
    guard let waiting else {
        return printError(
            "Signed in \(place). They go out with mamfleet push, or mamctl fleet bundle.")
    }
    printError(
        "Signed in \(place). What names a recovery key waits for"
            + " \(fleet.root.root.threshold(of: .order).counted("order key")):\n  \(waiting)\nThe"
            + " others go out with mamfleet push, or mamctl fleet bundle.")
}

/// The command that signs what order keys have yet to sign; nil: there is nothing.
func cosigning(in fleet: FleetDirectory) throws -> String? {
    let names = try fleet.place.filesForOrderKeys(
        by: fleet.root.root, of: fleet.root.organization)
    guard !names.isEmpty else { return nil }
    let paths = names.map { fleet.place.whole($0).asArgument }.joined(separator: " ")
    return "mamctl fleet cosign \(paths) --root \(fleet.root.file.path.asArgument) --key KEY"
}

/// The recovery keys that policies name, by their short names, each once.
func recoveryKeys(in policies: [[UInt8]]) -> [String] {
    var found: [String] = []
    for key in policies.flatMap({ PolicyDocument.recoveryKeys(in: $0) })
    where !found.contains(key.shortName) {
        found.append(key.shortName)
    }
    return found
}

/// `missing`: how many order keys have yet to sign a policy that names a recovery key.
func recoveryNote(missing: Int) -> Message? {
    guard missing > 0 else { return nil }
    return Message(
        missing,
        one: "machines refuse it before \(missing) more order key has signed it, as it names a"
            + " recovery key: mamctl fleet cosign",
        many: "machines refuse it before \(missing) more order keys have signed it, as it names a"
            + " recovery key: mamctl fleet cosign")
}
