// Under which identity a thread acts, and what is known of a file's protection.

internal import Glibc
internal import MAMFormat
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMStore

extension Vault {
    /// The file identity of a caller: its thread's, else its process's, else its user's default.
    package func identity(ofThread thread: Int32, user: UInt32) -> Identity {
        found(forThread: thread, user: user).identity
    }

    /// The same where something is made: `place` says whose it is if neither thread nor process
    /// does.
    package func identity(
        ofThread thread: Int32, user: UInt32, orOf place: () -> Identity?
    ) -> Identity {
        given(toThread: thread)?.identity
            ?? place().flatMap { mayKeep(contentOf: user, $0) ? $0 : nil }
            ?? defaultIdentity(ofUser: user)
    }

    /// False for a directory's account that another user registered: that user could lock and
    /// destroy what is not theirs. Root's accounts are anybody's to write for.
    private func mayKeep(contentOf user: UInt32, _ owner: Identity) -> Bool {
        registrant(of: owner) == 0 || mayAct(user, for: owner)
    }

    /// The same, and where it comes from.
    package func found(forThread thread: Int32, user: UInt32) -> FoundIdentity {
        given(toThread: thread)
            ?? FoundIdentity(
                identity: defaultIdentity(ofUser: user), source: .userDefault, giver: user)
    }

    /// What a thread was given, by whatever way; nil for nothing. A name that was no account when
    /// it was given may be another user's by now, and counts no more: what was plain stays its
    /// user's, and gets into no other's hands.
    private func given(toThread thread: Int32) -> FoundIdentity? {
        guard let found = identities.found(forThread: thread),
            mayAct(found.giver, for: found.identity)
        else { return nil }
        return found
    }

    /// An account answers to root, to the daemon's user and to the user that registered it.
    /// Identities that are no account answer to everyone: their files are not encrypted.
    package func mayAct(_ user: UInt32, for identity: Identity) -> Bool {
        guard user != 0, user != geteuid() else { return true }
        // A wipe that does not come to its end keeps the name.
        let holder = registrant(of: identity) ?? keyring.wipes.first(matching: identity)?.uid
        return (holder ?? user) == user
    }

    /// In single-identity mode the account that the user registered; otherwise nobody.
    package func defaultIdentity(ofUser user: UInt32) -> Identity {
        guard !settings.multiIdentity, let account = defaultAccount(ofUser: user) else {
            return .nobody
        }
        return keyring.identity(of: account)
    }

    /// What a header tells, and whether its window is open. Nil facts: the file could not be read.
    package func protection(of facts: FileFacts?) -> ProtectionInfo {
        switch facts {
        case nil:
            Self.plain(.damaged, "the daemon may not read the file")
        case .empty:
            Self.plain(
                .foreign, "it is empty and has no owner yet; the next writer becomes its owner")
        case .foreign:
            Self.plain(.foreign, "it has no protection header")
        case .damaged(let error):
            Self.plain(.damaged, error.description)
        case .protected(let header):
            isUnsealed(header) ? unsealed(header) : protection(of: header)
        }
    }

    private func unsealed(_ header: FileHeader) -> ProtectionInfo {
        ProtectionInfo(
            owner: header.owner, isManaged: false, fileClass: nil, effectiveClass: nil,
            state: .unsealed, reason: reasonAgainstWriting(to: header))
    }

    /// The state alone, for who asks of very many files.
    package func state(of facts: FileFacts?) -> ProtectionState {
        facts?.header?.sealing.map { state(of: $0).0 } ?? protection(of: facts).state
    }

    private static func plain(_ state: ProtectionState, _ reason: String) -> ProtectionInfo {
        ProtectionInfo(
            owner: .nobody, isManaged: false, fileClass: nil, effectiveClass: nil, state: state,
            reason: reason)
    }

    private func protection(of header: FileHeader) -> ProtectionInfo {
        guard let sealing = header.sealing else {
            return ProtectionInfo(
                owner: header.owner, isManaged: false, fileClass: nil, effectiveClass: nil,
                state: .unmanaged, reason: "its owner is not managed; the content is plain")
        }
        let (state, reason) = state(of: sealing)
        return ProtectionInfo(
            owner: header.owner, isManaged: true, fileClass: sealing.protectionClass,
            effectiveClass: effectiveClass(of: sealing), state: state,
            reason: "\(reason); \(reasonForClass(of: header, sealing))")
    }

    /// What is known of a directory.
    ///
    /// `owner`: the default owner of its new files; nil for none. `unproved`: one that the daemon
    /// may not have set.
    package func protection(
        ofDirectoryAsking asked: ProtectionClass?, owner: Identity?, unproved: Identity? = nil
    ) -> ProtectionInfo {
        let account = owner.flatMap { self.account(of: $0) }
        let effective = effectiveClass(asked: asked, of: account)
        if let owner, account == nil {
            return ProtectionInfo(
                owner: owner, isManaged: false, fileClass: asked, effectiveClass: nil,
                state: .directory,
                reason: "new files are \(owner)'s, which is no account, and plain")
        }
        return ProtectionInfo(
            owner: owner ?? .nobody, isManaged: account != nil, fileClass: asked,
            effectiveClass: effective,
            state: .directory,
            reason: "new files of managed owners get class \(effective.letter): "
                + reasonForClass(asked: asked, of: nil)
                + (unproved.map(reasonAgainstOwner) ?? ""))
    }

    private func reasonAgainstOwner(_ owner: Identity) -> String {
        "; the directory says that they are \(owner)'s, and nothing proves that this daemon wrote "
            + "that: mamctl protect --only-new DIRECTORY --owner \(owner), if it is so"
    }

    private func reasonForClass(of header: FileHeader, _ sealing: FileHeader.Sealing) -> String {
        let account = keyring.account(ofKey: sealing.keyID)
        var reason = reasonForClass(asked: sealing.askedClass, of: account)
        if sealing.isExposed {
            reason += "; its key is from before, and old bytes open it until it is sealed anew"
        }
        let effective = effectiveClass(of: sealing)
        guard sealing.protectionClass != effective else { return reason }
        let time = isOutOfDate(header) ? "when it is next opened" : "after the next unlock"
        return "\(reason), so it becomes class \(effective.letter) \(time)"
    }

    /// Where the effective class comes from.
    private func reasonForClass(asked: ProtectionClass?, of account: AccountID?) -> String {
        let policyClass = (account.map { merged(of: $0) } ?? mergedOfAll).protectionClass
        let wanted = asked.map(policyClass.stricter) ?? policyClass
        let reason =
            wanted == policyClass
            ? "policy asks for class \(wanted.letter)" : "class \(wanted.letter) was asked for"
        guard effectiveClass(asked: asked, of: account) != wanted else { return reason }
        return reason + " and MaxFileProtectionLevel allows \(settings.maximumClass.letter)"
    }

    private func state(of sealing: FileHeader.Sealing) -> (ProtectionState, String) {
        guard let account = keyring.account(ofKey: sealing.keyID),
            let windows = windows(of: account)
        else {
            let reason =
                keyring.wipes.first(ofKey: sealing.keyID) == nil
                ? "the key that it needs is not on this device (mamctl account import FILE)"
                : "its account was wiped: the key is destroyed, and the file is about to be removed"
            return (.keyMissing, reason)
        }
        let letter = sealing.protectionClass.letter
        if windows.window(sealing.protectionClass).allowsOpen {
            return (.available, "class \(letter) is open: the account is \(words(windows.state))")
        }
        if let block = block(of: account) {
            return (.closed, "class \(letter) is closed: the account is blocked: \(block.reason)")
        }
        return (.closed, "class \(letter) is closed: the account is \(words(windows.state))")
    }

    private func words(_ state: WindowState) -> String {
        switch state {
        case .beforeFirstUnlock: "locked and was not unlocked since the daemon started"
        case .unlocked: "unlocked"
        case .grace: "about to be locked"
        case .locked: "locked"
        }
    }
}
