// `fleet retire`: the organisation's data leaves a machine, and then the machine the organisation.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func retireMachine(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let survey = try directory.survey(invocation)
    let machine = try survey.machine(of: invocation)
    let accounts = try accounts(of: machine)
    var orders = try orders(to: machine.entry.machine, accounts, directory, invocation)
    let key = try FleetKey(of: invocation)
    try key.require(.order, in: directory.root.root)
    printError(verbatim: survey.words(for: machine))
    for account in accounts {
        printError("wipe of \(excerpt(of: account.name)), account \(account.id)")
    }
    try agree(
        to: "Wipe \(accounts.count.counted("account")) there, and let the machine leave?",
        orElse: "nothing was signed", invocation)
    for index in orders.indices { try key.sign(&orders[index].file.envelope) }
    for order in orders {
        try directory.place.write(order.name, order.file.envelope.encoded())
        directory.place.note([LogEntry(.retire, order.name, order.file.envelope)])
    }
    let files = orders.map(\.file)
    report(files, by: directory.root.root, invocation, asList: true)
    if !invocation.isJSON { tellWhatRemains(files, directory) }
    return .success
}

/// Those that the machine has reported. It would keep what others of it have.
private func accounts(
    of machine: SurveyedMachine
) throws(Failure) -> [MachineStatus.Account] {
    let name = shown(machine.entry.shownName)
    guard !machine.isRevoked else {
        throw Failure(
            .refused, "\(name): it was revoked, and would not hear of it",
            next: "mamctl fleet readmit \(machine.entry.machine)")
    }
    guard let status = machine.status else {
        throw Failure(
            .refused, "\(name): no report of it counts, so nobody knows its accounts",
            next: "mamfleet pull gets the reports; mamctl fleet order signs single orders")
    }
    return status.accounts
}

/// A wipe of each account, and the order to leave, whose file is the last by name, for who delivers
/// them by hand.
private func orders(
    to machine: MachineID, _ accounts: [MachineStatus.Account], _ directory: FleetDirectory,
    _ invocation: Invocation
) throws -> [(name: String, file: FleetFile)] {
    let orders = accounts.map { Order(.wipe, account: $0.id) } + [Order(.leave)]
    let (issued, expires) = try validity(
        days: Order.Action.leave.usualDays, atMost: SignedDocument.longestDays, invocation)
    let digits = String(orders.count).count
    return try orders.enumerated().map { index, order in
        let number = String(index + 1)
        let name =
            "\(OrganizationDirectory.orders)/retire-\(machine)-"
            + String(repeating: "0", count: digits - number.count)
            + "\(number)-\(order.action.rawValue).json"
        guard try invocation.arguments.has("force") || !directory.place.has(name) else {
            throw Failure(
                .failure, "\(directory.place.whole(name).shown) already exists",
                next: "mamctl fleet orders tells what came of it; --force signs anew")
        }
        let file = try FleetFile(
            directory.place.whole(name), order, for: .machine(machine),
            of: directory.root.organization, issued: issued, expires: expires)
        return (name, file)
    }
}

private func tellWhatRemains(_ files: [FleetFile], _ directory: FleetDirectory) {
    let paths = files.map(\.path.asArgument).joined(separator: " ")
    let missing = files.compactMap { $0.signatures(directory.root.root)?.missing }.max() ?? 0
    if missing > 0 {
        printError(
            "Each waits for \(missing.counted("signature")):\n  mamctl fleet cosign \(paths) --root"
                + " \(directory.root.file.path.asArgument) --key KEY")
    }
    printError(
        "mamfleet push sends the wipes, and after mamfleet pull has brought the word that they were"
            + " obeyed, the order\nto leave. What was registered there since is not wiped: look at"
            + " mamctl fleet status --machine before that.")
}
