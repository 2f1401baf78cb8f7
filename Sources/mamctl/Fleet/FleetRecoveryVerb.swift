// `fleet recovery check` and `fleet recovery pull`.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func recoverFromFleet(_ invocation: Invocation) throws -> ExitStatus {
    switch (invocation.operands[0].text, invocation.operands.count) {
    case ("check", 1): return try checkRecords(invocation)
    case ("pull", 3): return try pullRecord(invocation)
    default:
        throw invocation.misuse("use check, or pull MACHINE ACCOUNT")
    }
}

private func checkRecords(_ invocation: Invocation) throws -> ExitStatus {
    try refuse(["output", "force"], at: "check", invocation)
    let directory = try FleetDirectory(of: invocation)
    let pair = try invocation.arguments.value("recovery-key").map {
        try openKeyFile(RecoveryKeyFile.self, $0, invocation)
    }
    let survey = try directory.survey(invocation)
    let records = try survey.records(
        directory.place, of: directory.root.organization,
        machines: try survey.machines(of: invocation))
    let checked = records.map { CheckedRecord($0, pair, directory.root.organization) }
    let present = checked.filter { !$0.isWiped }
    let bad = present.filter { !$0.isGood }
    let listed = invocation.arguments.has("all") ? checked : bad
    if invocation.isJSON {
        printJSON(.array(listed.map(\.json)))
    } else {
        if !listed.isEmpty {
            printOut(
                verbatim: table(listed.map { $0.row(at: survey.time) }, width: outputWidth) + "\n")
        }
        let (accounts, good) = (present.count.counted("account"), present.count - bad.count)
        printOut(
            pair == nil
                ? "\(accounts), \(good.grouped) with a record of a good form"
                : "\(accounts), \(good.grouped) with a record opened and proven")
        if present.count < checked.count {
            let wiped = checked.count - present.count
            printOut("\(wiped.counted("record")) of wiped accounts: --all lists them")
        }
    }
    return bad.isEmpty ? .success : .failure
}

private func pullRecord(_ invocation: Invocation) throws -> ExitStatus {
    try refuse(["recovery-key", "machine", "all"], at: "pull", invocation)
    let output = try invocation.output()
    let machine = try invocation.operands[1].requireText("the machine")
    let account = try invocation.operands[2].requireText("the account")
    let directory = try FleetDirectory(of: invocation)
    let survey = try directory.survey(invocation)
    let found = try survey.records(
        directory.place, of: directory.root.organization,
        machines: try survey.machines(named: machine)
    ).filter { $0.isNamed(account) }
    guard let record = found.first, found.count == 1 else {
        throw Failure(
            found.isEmpty ? .notFound : .usage,
            "\(excerpt(of: machine)) has \(found.count) accounts '\(excerpt(of: account))'",
            next: "mamctl fleet recovery check --all --machine \(ByteString(machine).asArgument)")
    }
    guard case .record(let report, let issued) = record.found else {
        let reason = CheckedRecord(record, nil, directory.root.organization).words
        throw Failure(.notFound, "\(excerpt(of: account)) on \(excerpt(of: machine)): \(reason)")
    }
    let checked = CheckedRecord(record, nil, directory.root.organization)
    guard checked.isGood else {
        throw Failure(
            .damaged, "\(excerpt(of: account)) on \(excerpt(of: machine)): \(checked.words)")
    }
    let file = try NewFile(for: output, replacing: invocation.arguments.has("force"))
    try file.write(report.record)
    try file.finish(mode: 0o600)
    if invocation.isJSON {
        printJSON(checked.json.merging(["path": .string(output.shown)]))
    } else {
        printOut(
            "\(output.shown): the keys of \(excerpt(of: report.name)), sent at \(rfc3339(issued)),"
                + " sealed to the recovery key \(excerpt(of: report.recoveryKey))")
        if let wipe = checked.wipe { printError("\(excerpt(of: report.name)): \(wipe)") }
        printError(
            "On the new machine: mamctl account import \(output.asArgument) --recovery-key FILE")
    }
    return .success
}

private func refuse(
    _ names: [String], at operand: String, _ invocation: Invocation
) throws(Failure) {
    for name in names where invocation.arguments.has(name) {
        throw invocation.misuse("\(operand) takes no --\(name)")
    }
}
