// `fleet order`: for one machine, or for many.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// Of more the number must be confirmed: a wrong list must not wipe a company.
private let maximumUnaskedCount = 10
private let longestListByteCount = 16 << 20

/// Whom an order is for.
private struct Target: Hashable {
    let machine: MachineID
    let account: Bytes16?

    /// What is going to be signed.
    func words(_ action: Order.Action, _ names: FleetNames) -> Message {
        let order = action.rawValue
        return account.map {
            "\(order): \(names.words(for: $0, on: machine)) on \(names.words(for: machine))"
        } ?? "\(order): \(names.words(for: machine))"
    }
}

func signOrders(_ invocation: Invocation) throws -> ExitStatus {
    guard let action = invocation.operands[0].text.flatMap(Order.Action.init),
        Order.Action.signedAlone.contains(action)
    else {
        throw invocation.misuse("there is no such order")
    }
    let isBatch = invocation.arguments.has("machines")
    let output = try isBatch ? invocation.fileOutput() : invocation.documentOutput()
    let root = try FleetRoot(of: invocation)
    let names = try FleetNames(of: invocation)
    let targets = try isBatch ? listed(names, invocation) : [single(names, invocation)]
    try check(targets, action, invocation)
    for target in targets { printError(target.words(action, names)) }
    try confirm(targets, action, invocation)
    let reset = try resetAnswer(action, targets, invocation)
    let key = try FleetKey(of: invocation)
    try key.require(.order, in: root.root)
    if isBatch { try makeDirectory(output, mode: 0o755) }
    var files: [FleetFile] = []
    for target in targets {
        let path = isBatch ? output.appending(name(of: target, action)) : output
        if !invocation.arguments.has("force"), access(path.cString, F_OK) == 0 {
            throw Failure(
                .failure, "\(path.shown) already exists", next: "add --force to replace it")
        }
        var file = try order(
            reset.map { Order($0, of: target.account ?? .zero) }
                ?? Order(action, account: target.account), target, path, root, invocation)
        try key.sign(&file.envelope)
        files.append(file)
    }
    for file in files {
        try file.write(replacing: invocation.arguments.has("force"))
        note(.order, [file])
    }
    report(files, by: root.root, invocation, asList: true)
    return .success
}

extension Order.Action {
    /// Those of `fleet order`; `fleet withdraw` signs withdrawals of orders that are on record.
    static let signedAlone = allCases.filter { $0 != .withdraw }
}

private func order(
    _ order: Order, _ target: Target, _ path: ByteString, _ root: FleetRoot,
    _ invocation: Invocation
) throws(Failure) -> FleetFile {
    let (issued, expires) = try validity(
        days: order.action.usualDays, atMost: SignedDocument.longestDays, invocation)
    return try FleetFile(
        path, order, for: .machine(target.machine),
        of: root.organization, issued: issued, expires: expires)
}

/// What an order to reset brings; nil for others.
private func resetAnswer(
    _ action: Order.Action, _ targets: [Target], _ invocation: Invocation
) throws -> Order.Reset? {
    guard action == .reset, let target = targets.first, let account = target.account else {
        for option in ["recovery-key", "key-passfile", "key-extpass", "code", "yes"]
        where invocation.arguments.has(option) {
            throw invocation.misuse("--\(option) is for reset alone")
        }
        return nil
    }
    return try FleetReset(of: account, on: target.machine, invocation).answer()
}

private func name(of target: Target, _ action: Order.Action) -> String {
    let account = target.account.map { "-\($0)" } ?? ""
    return "\(action.rawValue)-\(target.machine)\(account).json"
}

// MARK: Whom it is for

private func single(_ names: FleetNames, _ invocation: Invocation) throws -> Target {
    let machine = try names.machine(required("machine", invocation).shown, "--machine")
    let account = invocation.arguments.value("account")?.shown
    return Target(
        machine: machine,
        account: try account.map { try names.account($0, on: machine, "--account") })
}

/// `MACHINE [ACCOUNT]` in each line.
private func listed(_ names: FleetNames, _ invocation: Invocation) throws -> [Target] {
    try invocation.refuse(["machine", "account"], with: "machines")
    let path = try required("machines", invocation)
    let bytes = try readFile(path, atMost: longestListByteCount)
    var targets: [Target] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
        let words = ByteString(Array(line)).shown.split(separator: " ").map(String.init)
        guard !words.isEmpty else { continue }
        let place: Message = "\(path.shown), line \(index + 1)"
        guard words.count <= 2 else {
            throw Failure(
                .usage, "\(place): more than a machine and an account",
                next: "write MACHINE [ACCOUNT] in each line")
        }
        let machine = try names.machine(words[0], "\(place): the machine")
        let account = try words.dropFirst().first.map {
            try names.account($0, on: machine, "\(place): the account")
        }
        targets.append(Target(machine: machine, account: account))
        guard Set(targets).count == targets.count else {
            throw Failure(.usage, "\(place): it is there twice", next: "remove one of them")
        }
    }
    guard !targets.isEmpty else { throw Failure(.usage, "\(path.shown): it names no machine") }
    return targets
}

private func check(
    _ targets: [Target], _ action: Order.Action, _ invocation: Invocation
) throws(Failure) {
    if action == .reset, invocation.arguments.has("machines") {
        throw invocation.misuse("a reset is for one account: name --machine and --account")
    }
    let isOfAccount = action == .wipe || action == .reset
    for target in targets where (target.account != nil) != isOfAccount {
        throw invocation.misuse(
            isOfAccount
                ? "\(action.rawValue) names an account, and none is named for machine"
                    + " \(target.machine)"
                : "\(action.rawValue) is for the whole machine and takes no account")
    }
}

private func confirm(
    _ targets: [Target], _ action: Order.Action, _ invocation: Invocation
) throws {
    guard targets.count > maximumUnaskedCount else { return }
    printError("This signs \(targets.count) orders to \(action.rawValue).")
    let given: ByteString?
    if let value = invocation.arguments.value("confirm") {
        given = value
    } else {
        guard isatty(STDIN_FILENO) == 1 else {
            throw invocation.misuse(
                "no terminal to ask for confirmation: add --confirm \(targets.count)")
        }
        given = try Terminal.askOpenly("Type the number of orders to continue")
    }
    guard given?.text == String(targets.count) else {
        throw Failure(
            .refused, "nothing was signed: there are \(targets.count) orders",
            next: "check the list, then give the exact number")
    }
}
