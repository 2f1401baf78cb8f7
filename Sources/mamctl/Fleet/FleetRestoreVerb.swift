// `fleet restore`: what a policy was, signed as its newest version.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func restorePolicy(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let signed = try directory.place.signedPolicies(
        by: directory.root.root, of: directory.root.organization)
    let (former, present) = try choose(directory, signed, invocation)
    let (issued, expires) = try validity(
        days: usualDays, atMost: SignedDocument.longestDays, invocation)
    let name = present?.file ?? former.file
    var file = try FleetFile(
        directory.place.whole(name), former.slot, former.content,
        of: directory.root.organization,
        serial: nextSerial(
            of: directory.place.whole(name),
            after: directory.place.highestSerial(of: former.slot, present), at: issued),
        issued: issued, expires: expires)
    let key = try FleetKey(of: invocation)
    try key.require(former.slot, in: directory.root.root)
    let shown = ShownPush(
        PolicyPush(restoring: former, over: present), since: signed,
        try directory.survey(invocation), invocation)
    show(shown, former, present)
    try agree(to: shown, "Sign it again?", invocation)
    try key.sign(&file.envelope)
    try directory.place.replace(signed: name, with: file.envelope.encoded(), then: [])
    directory.place.note([LogEntry(.restore, name, file.envelope)])
    report([file], by: directory.root.root, invocation)
    if let waiting = try cosigning(in: directory) {
        printError("Policies wait for order keys:\n  \(waiting)")
    } else if !invocation.isJSON {
        printError(
            "mamctl fleet time and mamfleet push send it. The next mamctl fleet push signs what its"
                + " own directory has.")
    }
    return .success
}

/// The version that is meant, and the one in force.
private func choose(
    _ directory: FleetDirectory, _ signed: [SignedPolicy], _ invocation: Invocation
) throws -> (SignedPolicy, SignedPolicy?) {
    let (place, root) = (directory.place, directory.root)
    let word = invocation.operands[0].text ?? ""
    let isNamed = { (policy: SignedPolicy) in
        policy.slot.name == word || "\(policy.slot)" == word
    }
    let former = try place.formerPolicies(by: root.root, of: root.organization).filter(isNamed)
    let stepped = signed.filter { $0.beforeItsRing != nil && isNamed($0) }
    let slots = Set((former + stepped).map(\.slot))
    guard let slot = slots.first else {
        throw Failure(
            .notFound, "\(shown(word)): no policy of this name was replaced",
            next: "look into \(place.whole("former").shown)")
    }
    guard slots.count == 1 else {
        let names = slots.map(\.description).sorted().joined(separator: ", ")
        throw Failure(
            .usage, "\(shown(word)): \(slots.count) policies have this name",
            next: "name one of \(names)")
    }
    let present = signed.filter { $0.slot == slot }.max { $0.serial < $1.serial }
    let serial = try number("serial", 1...Int64.max, invocation)
    if serial == nil, let before = present?.beforeItsRing { return (before, present) }
    let meant = former.first { policy in
        // What a ring alone has had was in force for nobody else.
        serial.map { policy.serial == $0 }
            ?? (policy.ring == nil && policy.content != present?.content)
    }
    if serial == nil, let meant, let present { try refuseToGoForward(meant, present, former) }
    guard let meant else {
        let serials = former.map { "\($0.serial)" }.joined(separator: ", ")
        throw Failure(
            .notFound, "\(slot): no former version is meant by that",
            next: "give one of --serial \(serials)")
    }
    return (meant, present)
}

/// What is in force may itself be what a restore has brought back: the newest version that differs
/// is then the one that was left.
private func refuseToGoForward(
    _ meant: SignedPolicy, _ present: SignedPolicy, _ former: [SignedPolicy]
) throws(Failure) {
    let origin = former.first { $0.content == present.content && $0.serial < meant.serial }
    guard let origin else { return }
    let older = former.filter { $0.serial < origin.serial && $0.content != present.content }
    let others = ([meant] + older).map { "\($0.serial)" }.joined(separator: ", ")
    throw Failure(
        .refused,
        "\(present.slot) is as it was with serial \(origin.serial) already, and serial"
            + " \(meant.serial) came after that",
        next: "name the version that you mean: --serial \(others)")
}

private func show(_ shown: ShownPush, _ former: SignedPolicy, _ present: SignedPolicy?) {
    if former.serial == present?.serial {
        printError("~ \(former.slot)  as the machines outside its ring have it")
    } else {
        printError("~ \(former.slot)  as it was with serial \(former.serial)")
    }
    if !former.isValid { printError("    no key that counts now has signed it") }
    if former.content.isEmpty {
        printError("    withdrawn")
    } else if present?.content.isEmpty ?? true {
        printError("    in force again")
    }
    shown.showPreview(of: former.slot)
}
