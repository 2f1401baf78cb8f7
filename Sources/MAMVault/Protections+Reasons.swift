// The sentences that say why a file is open or closed.

internal import MAMFormat
internal import MAMIdentity
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMStore

extension Protections {
    func reasonAgainstOwner(_ owner: Identity) -> Message {
        "; the directory says that they are \(owner)'s, and nothing proves that this daemon wrote"
            + " that: mamctl protect --only-new DIRECTORY --owner \(owner), if it is so"
    }

    func reasonForClass(of header: FileHeader, _ sealing: FileHeader.Sealing) -> Message {
        let account = vault.keyring.account(ofKey: sealing.keyID)
        var reason = reasonForClass(asked: sealing.askedClass, of: account)
        if sealing.isExposed {
            reason += "; its key is from before, and old bytes open it until it is sealed anew"
        }
        let effective = FileClasses(vault).effectiveClass(of: sealing)
        guard sealing.protectionClass != effective else { return reason }
        let time: Message =
            FileClasses(vault).isOutOfDate(header)
            ? "when it is next opened" : "after the next unlock"
        return "\(reason), so it becomes class \(effective.letter) \(time)"
    }

    /// The origin of the effective class.
    func reasonForClass(asked: ProtectionClass?, of account: AccountID?) -> Message {
        let rule = FileClasses(vault).rule(of: account)
        let wanted = rule.wantedClass(asked: asked)
        let reason: Message =
            wanted == rule.policyClass
            ? "policy asks for class \(wanted.letter)" : "class \(wanted.letter) was asked for"
        guard rule.effectiveClass(asked: asked) != wanted else { return reason }
        return reason + " and MaxFileProtectionLevel allows \(rule.ceiling.letter)"
    }

    func state(of sealing: FileHeader.Sealing) -> (ProtectionState, Message) {
        guard let account = vault.keyring.account(ofKey: sealing.keyID),
            let windows = vault.windows[account]
        else {
            let reason: Message =
                vault.keyring.wipes.first(ofKey: sealing.keyID) == nil
                ? "the key that it needs is not on this device (mamctl account import FILE)"
                : "its account was wiped: the key is destroyed, and the file is about to be removed"
            return (.keyMissing, reason)
        }
        let letter = sealing.protectionClass.letter
        if windows.window(sealing.protectionClass).allowsOpen {
            return (.available, "class \(letter) is open: the account is \(words(windows.state))")
        }
        if let block = vault.block(of: account) {
            return (.closed, "class \(letter) is closed: the account is blocked: \(block.reason)")
        }
        return (.closed, "class \(letter) is closed: the account is \(words(windows.state))")
    }

    func words(_ state: WindowState) -> Message {
        switch state {
        case .beforeFirstUnlock: "locked and was not unlocked since the daemon started"
        case .unlocked: "unlocked"
        case .grace: "about to be locked"
        case .locked: "locked"
        }
    }
}
