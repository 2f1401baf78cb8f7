// Policies that name a recovery key or take one away: what is said of them, and who signs them
// beside a policy key.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// A first step that order keys have yet to sign would be held back, and taken for one that
/// machines refuse. What goes to all at once is held back alone.
func refuseToSendSteps(
    _ work: [PolicyChange], _ fleet: FleetDirectory
) throws(Failure) {
    let waiting = work.first { change in
        change.goesByRings
            && change.policies.contains { !PolicyDocument.recoveryKeys(in: $0).isEmpty }
    }
    guard let waiting else { return }
    let needed = fleet.root.root.threshold(of: .order)
    throw Failure(
        .refused,
        "\(waiting.slot) names a recovery key, or takes one away: machines refuse it before"
            + " \(needed.counted("order key")) have signed it, too",
        next: "add --local; then mamctl fleet cosign with those keys, and mamfleet push")
}

extension PolicyChange {
    /// The new one, and those in force until now.
    fileprivate var policies: [[UInt8]] {
        [content] + [former?.content, former?.replaced].compactMap(\.self)
    }
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
        "Signed in \(place). What names a recovery key, or takes one away, waits for"
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
