// `fleet readmit`: a machine that was revoked is let in again, with the key that it has.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func readmitMachine(_ invocation: Invocation) throws -> ExitStatus {
    let engine = try existingEngine(of: invocation)
    let survey = try FleetDirectory(of: invocation).survey(invocation)
    let machine = try survey.machine(of: invocation)
    let name = shown(machine.entry.shownName)
    guard machine.isRevoked else {
        throw Failure(.refused, "\(name): it was not revoked, and is let in")
    }
    printError(verbatim: survey.words(for: machine))
    warn(survey, machine)
    try agree(to: "Let it in again?", orElse: "\(name): it stays revoked", invocation)
    var entry = machine.entry
    (entry.revoked, entry.reason) = (nil, nil)
    // The register last: until then this may be repeated.
    try engine.readmit(entry.transportKey, at: Int64(currentTime()))
    try engine.directory.write(entry)
    engine.directory.note([LogEntry(.readmit, machine: entry.machine)])
    invocation.answer(entry.json, words: "\(entry.machine)  \(name)  readmitted")
    if !invocation.isJSON {
        printError(
            "mamfleet push \(engine.directory.path.asArgument) tells the servers; it connects"
                + " within minutes.")
    }
    return .success
}

private func warn(_ survey: Survey, _ machine: SurveyedMachine) {
    if !survey.openOrders(for: machine.entry.machine).isEmpty {
        printError(
            "It obeys these orders when it is in. One that nobody wants is taken back first:"
                + " mamctl fleet withdraw.")
    }
    if case .none = machine.report {
        printError("It has never reported: if it never got its answer, it needs a new code.")
    }
}
