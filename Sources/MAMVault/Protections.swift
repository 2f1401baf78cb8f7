// Determines a file's protection.

package import MAMFormat
internal import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMStore
internal import MAMSystem

/// Determines a file's owner, its class, and whether it can be opened.
package struct Protections: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// True if an unlock or an import may bring the file's key.
    package func awaitsKey(_ header: FileHeader) -> Bool {
        switch vault.closure(of: header) {
        case .windowClosed, .blocked, .keyMissing: !vault.isOpen(header)
        default: false
        }
    }

    /// The header's information, and whether its window is open. Nil facts: the file was
    /// unreadable.
    package func protection(of facts: FileFacts?) -> FileProtection {
        switch facts {
        case nil:
            Self.plain(.damaged, "the daemon may not read the file")
        case .empty, .unwritten:
            Self.plain(
                .foreign, "it is empty and has no owner yet; the next writer becomes its owner")
        case .foreign:
            Self.plain(.foreign, "it has no protection header")
        case .damaged(.newerVersion(let version)):
            Self.plain(.newer, "\(HeaderError.newerVersion(version))")
        case .damaged(let error):
            Self.plain(.damaged, "\(error)")
        case .protected(let header):
            isUnsealed(header) ? unsealed(header) : protection(of: header)
        }
    }

    private func unsealed(_ header: FileHeader) -> FileProtection {
        Self.plain(.unsealed, of: header.owner, reasonAgainstWriting(to: header))
    }

    /// Only the state, for callers with very many files.
    package func state(of facts: FileFacts?) -> ProtectionState {
        facts?.header?.sealing.map { state(of: $0).0 } ?? protection(of: facts).state
    }

    private static func plain(
        _ state: ProtectionState, of owner: Identity = .nobody, _ reason: Message
    ) -> FileProtection {
        FileProtection(
            owner: owner, isManaged: false, fileClass: nil, effectiveClass: nil, state: state,
            reason: reason)
    }

    private func protection(of header: FileHeader) -> FileProtection {
        guard let sealing = header.sealing else {
            return Self.plain(
                .unmanaged, of: header.owner, "its owner is not managed; the content is plain")
        }
        let (state, reason) = state(of: sealing)
        return FileProtection(
            owner: header.owner, isManaged: true, fileClass: sealing.protectionClass,
            effectiveClass: FileClasses(vault).effectiveClass(of: sealing), state: state,
            reason: "\(reason); \(reasonForClass(of: header, sealing))")
    }

    /// A directory's protection.
    ///
    /// `owner`: the default owner of its new files; nil for none. `unproved`: one that the daemon
    /// may not have set.
    package func protection(
        ofDirectoryAsking asked: ProtectionClass?, owner: Identity?, unproved: Identity? = nil
    ) -> FileProtection {
        let account = owner.flatMap { vault.account(of: $0) }
        let effective = FileClasses(vault).effectiveClass(asked: asked, of: account)
        if let owner, account == nil {
            return FileProtection(
                owner: owner, isManaged: false, fileClass: asked, effectiveClass: nil,
                state: .directory,
                reason: "new files are \(owner)'s, which is no account, and plain")
        }
        return FileProtection(
            owner: owner ?? .nobody, isManaged: account != nil, fileClass: asked,
            effectiveClass: effective,
            state: .directory,
            reason: "new files of managed owners get class \(effective.letter): "
                + reasonForClass(asked: asked, of: nil)
                + (unproved.map(reasonAgainstOwner) ?? ""))
    }

    /// True for a plain file of an account whose files are sealed: from before the account, or
    /// forged.
    package func isUnsealed(_ header: FileHeader?) -> Bool {
        guard let header, header.sealing == nil else { return false }
        return vault.isManaged(header.owner)
    }

    /// Why such a file can be read but not written, and how to repair it.
    package func reasonAgainstWriting(to header: FileHeader) -> Message {
        "it is plain although files of \(header.owner) are sealed here, so this daemon did not"
            + " make it for them: it can be read, but not changed; mamctl protect FILE seals it, or"
            + " mamctl decrypt FILE makes it nobody's"
    }
}

// The sentences that say why a file is open or closed.
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
