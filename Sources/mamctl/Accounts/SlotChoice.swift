// Which key slot is to open an account, and what it needs.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

private typealias Slot = Varlink.Workspace.Slot

extension Invocation {
    /// The one that `--slot` names; nil for any that the passphrase opens.
    func wantedSlot(
        of account: AccountReport, _ daemon: Daemon
    ) throws -> Varlink.Workspace.Slot? {
        guard let id = try arguments.text("slot") else { return nil }
        let found = try daemon.slots(of: account).first { id.isSameFolded($0.id) }
        guard let found else {
            throw Failure(
                .refused, "\(account.label) has no key slot \(shown(id))", next: "mamctl slot list")
        }
        return found
    }

    /// The slot's PIN or passphrase; nil for a chip's without a PIN.
    func secret(
        of slot: Varlink.Workspace.Slot?, _ account: AccountReport
    ) throws -> SecretBuffer? {
        switch slot?.pin {
        case false?: nil
        case true?: try currentPassphrase(of: account, "PIN of this machine's chip")
        case nil: try currentPassphrase(of: account)
        }
    }

    /// Opens an account's windows by the slot that is named. Where nothing is, a chip's slot comes
    /// before the passphrase: without a PIN, or with one that is asked for at a terminal.
    func unlockBySlot(_ account: AccountReport, of daemon: Daemon) throws -> AccountReport {
        if let slot = try wantedSlot(of: account, daemon) {
            return try unlock(account, by: slot, of: daemon)
        }
        if account.hasPassphrase, !arguments.has(.passfile), !arguments.has(.extpass),
            let opened = try unlockByChip(account, of: daemon)
        {
            return opened
        }
        return try unlock(account, of: daemon)
    }

    /// Nil if there is no such slot, the chip refuses, or a person wants to type the passphrase.
    /// The newest first: a chip that was cleared opens no earlier one.
    private func unlockByChip(
        _ account: AccountReport, of daemon: Daemon
    ) throws -> AccountReport? {
        // A contained program may unlock, and does not learn by what.
        let slots = ((try? daemon.slots(of: account)) ?? []).reversed()
        for slot in slots where slot.pin == false {
            if let opened = try unlock(account, byChip: slot, nil, of: daemon) { return opened }
        }
        guard arguments.isTyped(), let slot = slots.first(where: { $0.pin == true }) else {
            return nil
        }
        try agreeToLastTry(of: account)
        let pin = try Terminal.ask("PIN of this machine's chip (Enter: the passphrase)")
        return pin.isEmpty ? nil : try unlock(account, byChip: slot, pin, of: daemon)
    }

    /// Nil if the chip refuses, which is told.
    private func unlock(
        _ account: AccountReport, byChip slot: Slot, _ pin: SecretBuffer?, of daemon: Daemon
    ) throws -> AccountReport? {
        do { return try daemon.unlock(account, by: slot, pin) } catch let failure as Failure
            where failure.status == .refused
        {
            printError("mamctl: \(failure.message)")
            return nil
        }
    }

    private func unlock(
        _ account: AccountReport, by slot: Slot, of daemon: Daemon
    ) throws -> AccountReport {
        try daemon.unlock(account, by: slot, try secret(of: slot, account))
    }
}

extension Daemon {
    /// What opens an account.
    func slots(of account: AccountReport) throws -> [Varlink.Workspace.Slot] {
        try call(
            Varlink.Workspace.ListSlots(account: account.label),
            about: "account '\(account.label)'"
        ).slots
    }

    fileprivate func unlock(
        _ account: AccountReport, by slot: Slot, _ secret: SecretBuffer?
    ) throws -> AccountReport {
        try unlock(account, slot: slot.id) { try $0.add(secret) }
    }
}

extension Option {
    static let slot = Option(
        "slot", value: "SLOT", "try only this key slot; of a chip's, the passphrase is the PIN")
}
