// `status` and `account list`.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func showStatus(_ invocation: Invocation) throws -> ExitStatus {
    let reports = try invocation.daemons().map { try $0.status() }
    if invocation.isJSON {
        printJSON(.array(reports.map { .object($0.members) }))
    } else {
        printOut(reports.map(describe).joined(separator: "\n\n"))
    }
    return .success
}

func listAccounts(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let accounts = try [AccountReport](
        try daemon.call("ListAccounts", about: "workspace '\(daemon.name)'"))
    printAccounts(accounts, isJSON: invocation.isJSON)
    return .success
}

/// Accounts as a table, or as a JSON array.
func printAccounts(_ accounts: [AccountReport], isJSON: Bool) {
    if isJSON {
        printJSON(.array(accounts.map(\.json)))
    } else if accounts.isEmpty {
        printOut("no accounts; register one: mamctl account register UPN")
    } else {
        printOut(table(accounts.map(row)))
    }
}

private func describe(_ report: StatusReport) -> String {
    let mode = report.isMultiIdentity ? "several identities" : "single identity"
    let place = ByteString(report.mountPoint).shown
    let backing = ByteString(report.backingDirectory).shown
    let lines = [
        "\(Style.output.bold(report.name))  at \(place)  from \(backing)",
        "  process \(report.pid) of uid \(report.uid), version \(report.version), \(mode),"
            + " at most class \(report.maximumClass.letter), \(report.openFiles) open files",
    ]
    let accounts =
        report.accounts.isEmpty
        ? ["  no accounts"]
        : table(report.accounts.map(row)).split(separator: "\n").map { "  \($0)" }
    return (lines + accounts).joined(separator: "\n")
}

private func row(_ account: AccountReport) -> [String] {
    var notes: [String] = []
    if account.isDefault { notes.append("default of uid \(account.uid)") }
    if account.stage == "registered" { notes.append("no policy covers it") }
    if !account.block.isEmpty {
        notes.append("blocked: \(ByteString(account.blockReason).shown)")
    }
    if account.isRecoverable { notes.append("the organisation can open its files") }
    if !account.hasPassphrase { notes.append("no passphrase") }
    if account.retryAfterSeconds > 0 { notes.append("next try in \(account.retryAfterSeconds) s") }
    // The coloured cell comes last but one: escapes count as letters, so all in a column have the same.
    return [
        account.label, coloured(account.state), notes.joined(separator: ", "),
    ]
}

private func coloured(_ state: WindowState) -> String {
    let text = state.rawValue
    return switch state {
    case .unlocked: Style.output.green(text)
    case .grace: Style.output.yellow(text)
    case .locked, .beforeFirstUnlock: Style.output.red(text)
    }
}
