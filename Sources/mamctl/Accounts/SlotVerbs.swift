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
    let slots = try daemon.slots(of: account)
    if invocation.isJSON {
        printJSON(slots.json)
    } else if slots.isEmpty {
        printOut("\(account.label): no passphrase, and so no key slots")
    } else {
        for slot in slots {
            printOut(verbatim: slot.line)
        }
    }
    return .success
}

func addSlot(_ invocation: Invocation) throws -> ExitStatus {
    let type = try invocation.arguments.text("type").flatMap(Wire.SlotType.init) ?? .passphrase
    for name in ["new-passfile", "new-extpass", "recovery-file", "no-pin", "pcrs"]
    where invocation.arguments.has(name) && !type.options.contains(name) {
        throw invocation.misuse("--\(name) is not for a slot of this type")
    }
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let added =
        switch type {
        case .passphrase: try addPassphrase(invocation, to: account, of: daemon)
        case .recovery: try addRecovery(invocation, to: account, of: daemon)
        case .tpm: try addChip(invocation, to: account, of: daemon)
        }
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

private func addChip(
    _ invocation: Invocation, to account: AccountReport, of daemon: Daemon
) throws -> Wire.Slot {
    let pcrs = try invocation.pcrs()
    var secrets = SecretParameters()
    let opening = try invocation.currentPassphrase(of: account, in: &secrets)
    let request = Wire.AddSlot(
        account: account.label, type: .tpm, pcrs: pcrs, passphraseDescriptor: opening,
        newPassphraseDescriptor: try secrets.add(try invocation.newPIN(for: account)))
    return try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
    ).slot
}

extension Invocation {
    /// Nil for none.
    fileprivate func newPIN(for account: AccountReport) throws -> SecretBuffer? {
        guard !arguments.has("no-pin") else {
            try refuse(["new-passfile", "new-extpass"], with: "no-pin")
            return nil
        }
        return try passphrase(
            "PIN by which this machine's chip will open \(account.label)", isNew: true,
            optionPrefix: "new-")
    }

    fileprivate func pcrs() throws -> [Int]? {
        guard let text = try arguments.text("pcrs") else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.allSatisfy({ $0 != nil }) else {
            throw misuse("--pcrs takes numbers with commas between them: \(shown(text))")
        }
        return numbers.compactMap(\.self)
    }
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
    let slot = try invocation.wantedSlot(of: account, daemon)
    let secret = try invocation.secret(of: slot, account)
    return report(
        try daemon.slot(of: account, openedBy: secret, alone: slot), of: account, invocation,
        "opens it")
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
    /// The one that a secret opens. `secret`: nil for a chip's slot without a PIN, and an account
    /// without a passphrase, which the daemon refuses. `alone`: the only one to try.
    func slot(
        of account: AccountReport, openedBy secret: SecretBuffer?,
        alone slot: Varlink.Workspace.Slot? = nil
    ) throws -> Varlink.Workspace.Slot {
        var secrets = SecretParameters()
        let request = Varlink.Workspace.TestSlot(
            account: account.label, slot: slot?.id, passphraseDescriptor: try secrets.add(secret))
        return try call(
            request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
        ).slot
    }
}

private func rfc3339(_ seconds: Int) -> String { MAMFleet.rfc3339(Int64(seconds)) }

extension Varlink.Workspace.SlotType {
    static let names = [Self.passphrase, .recovery, .tpm].map(\.rawValue)

    fileprivate var words: Message {
        switch self {
        case .passphrase: "a passphrase"
        case .recovery: "a recovery passphrase"
        case .tpm: "this machine's chip"
        }
    }

    /// Of `slot add`, those that not all types take.
    fileprivate var options: [String] {
        switch self {
        case .passphrase: ["new-passfile", "new-extpass"]
        case .recovery: ["recovery-file"]
        case .tpm: ["new-passfile", "new-extpass", "no-pin", "pcrs"]
        }
    }
}

extension Varlink.Workspace.Slot {
    /// One line of the list, in columns.
    fileprivate var line: String {
        var columns = [id, type.rawValue, rfc3339(created)]
        if let pin { columns.append(pin ? "PIN" : "no PIN") }
        if let pcrs, !pcrs.isEmpty {
            columns.append("PCR \(pcrs.map(String.init).joined(separator: ","))")
        }
        return columns.joined(separator: "\t")
    }
}
