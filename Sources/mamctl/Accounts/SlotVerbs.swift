// `slot list`, `slot add`, `slot test` and `slot remove`.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMWire

private typealias Wire = Varlink.Workspace

func listSlots(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let reply = try daemon.call(
        Wire.ListSlots(account: account.label), about: "account '\(account.label)'")
    if invocation.isJSON {
        printJSON(reply.slots.json)
    } else if reply.slots.isEmpty {
        printOut("\(account.label): no passphrase, and so no key slots")
    } else {
        for slot in reply.slots {
            printOut(verbatim: "\(slot.id)\t\(slot.type.rawValue)\t\(rfc3339(slot.created))")
        }
    }
    return .success
}

func addSlot(_ invocation: Invocation) throws -> ExitStatus {
    let isRecovery =
        try invocation.arguments.text("type") == Wire.SlotType.recovery.rawValue
    for name in isRecovery ? ["new-passfile", "new-extpass"] : ["recovery-file"]
    where invocation.arguments.has(name) {
        throw invocation.misuse("--\(name) is not for a slot of this type")
    }
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let added =
        isRecovery
        ? try addRecovery(invocation, to: account, of: daemon)
        : try addPassphrase(invocation, to: account, of: daemon)
    return report(added, of: account, invocation, "added")
}

private func addPassphrase(
    _ invocation: Invocation, to account: AccountReport, of daemon: Daemon
) throws -> Wire.Slot {
    var secrets = SecretParameters()
    let opening = try invocation.currentPassphrase(of: account, in: &secrets)
    let new = try secrets.add(
        try invocation.passphrase(
            "Another passphrase for \(account.label)", isNew: true, optionPrefix: "new-"))
    let request = Wire.AddSlot(
        account: account.label, type: .passphrase, passphraseDescriptor: opening,
        newPassphraseDescriptor: new)
    return try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
    ).slot
}

/// At a terminal, the passphrase is checked before somebody writes words down for nothing.
private func addRecovery(
    _ invocation: Invocation, to account: AccountReport, of daemon: Daemon
) throws -> Wire.Slot {
    let new = try NewRecovery(for: account, of: daemon, invocation)
    guard let opening = try invocation.currentPassphrase(of: account) else {
        return try daemon.slot(of: account, openedBy: nil)
    }
    if new.isShown { _ = try daemon.slot(of: account, openedBy: opening) }
    guard let slot = try new.add(opening: opening) else {
        throw Failure(
            .failure, "the words were not typed as they were shown: no key slot was added",
            next: "mamctl slot add --type recovery, for other words")
    }
    return slot
}

func testSlot(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let secret = try invocation.currentPassphrase(of: account)
    return report(
        try daemon.slot(of: account, openedBy: secret), of: account, invocation, "opens it")
}

func removeSlot(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let id = try invocation.operands[1].requireText("the key slot")
    var secrets = SecretParameters()
    let request = Wire.RemoveSlot(
        account: account.label, slot: id,
        passphraseDescriptor: try invocation.currentPassphrase(of: account, in: &secrets))
    let removed = try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
    ).slot
    return report(removed, of: account, invocation, "removed")
}

private func report(
    _ slot: Wire.Slot, of account: AccountReport, _ invocation: Invocation, _ done: Message
) -> ExitStatus {
    let day = rfc3339(slot.created).prefix(10)
    return invocation.answer(
        slot.json,
        words: "\(account.label): \(slot.id), \(slot.type.words) of \(String(day)): \(done)")
}

extension Daemon {
    /// The one that a secret opens. `secret`: nil for an account without a passphrase, which the
    /// daemon refuses.
    func slot(
        of account: AccountReport, openedBy secret: SecretBuffer?
    ) throws -> Varlink.Workspace.Slot {
        var secrets = SecretParameters()
        let request = Varlink.Workspace.TestSlot(
            account: account.label, passphraseDescriptor: try secrets.add(secret))
        return try call(
            request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
        ).slot
    }
}

private func rfc3339(_ seconds: Int) -> String { MAMFleet.rfc3339(Int64(seconds)) }

extension Varlink.Workspace.SlotType {
    static let names = [Self.passphrase, .recovery].map(\.rawValue)

    fileprivate var words: Message {
        switch self {
        case .passphrase: "a passphrase"
        case .recovery: "a recovery passphrase"
        }
    }
}
