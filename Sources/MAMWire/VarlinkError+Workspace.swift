// The errors of io.mamd.Workspace, one constructor each.

package import MAMModel
internal import MAMSystem

extension VarlinkError {
    package init(_ failure: some VarlinkFailure) {
        self.init(type(of: failure).fullName, failure.members)
    }

    /// No account has this name, object id or id.
    package static func unknownAccount(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.UnknownAccount(account: account))
    }

    /// An account with this name or object id is registered already.
    package static func accountExists(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.AccountExists(account: account))
    }

    /// Files carry the account's name, but neither a key here nor a new one opens them.
    ///
    /// `hasHidden`: some belong to other users, so the caller learns nothing else about them.
    package static func sealedFiles(
        _ account: String, files: Int, example: String?, hasHidden: Bool
    ) -> VarlinkError {
        let first: Message? = example.map { files > 1 ? "\($0) and \(files - 1) more" : "\($0)" }
        let hidden: Message? = hasHidden ? "files of other users" : nil
        let subject = [first, hidden].compactMap(\.self).joined(separator: ", and ")
        let reason: Message =
            "\(subject) are sealed for '\(account)' with keys that are not here, and new keys would"
            + " not open them"
        return VarlinkError(
            Varlink.Workspace.SealedFiles(
                account: account, files: files, example: example, reason: reason.english,
                words: reason.wire))
    }

    /// The passphrase is wrong; the next try is allowed after `retryAfterSeconds`. `outlook`: what
    /// further wrong ones lead to; `consequence`: what this one has led to.
    package static func wrongPassphrase(
        _ account: String, retryAfterSeconds: Int, outlook: Message? = nil,
        consequence: GuessConsequence? = nil
    ) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.WrongPassphrase(
                account: account, retryAfterSeconds: retryAfterSeconds, outlook: outlook?.english,
                words: outlook?.wire, consequence: consequence))
    }

    /// The passphrase was not tried; a try is allowed after `retryAfterSeconds`.
    package static func notTried(
        _ account: String, retryAfterSeconds: Int, because reason: Message
    ) -> VarlinkError {
        let reason: Message =
            "the passphrase for account '\(account)' was not tried: \(reason); it can be in"
            + " \(retryAfterSeconds) s"
        return VarlinkError(
            Varlink.Workspace.NotTried(
                account: account, retryAfterSeconds: retryAfterSeconds, reason: reason.english,
                words: reason.wire))
    }

    /// The account is locked.
    package static func windowClosed(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.WindowClosed(account: account))
    }

    /// Policy blocks the account.
    package static func blocked(_ account: String, _ block: AccountBlock) -> VarlinkError {
        let reason: Message = "account '\(account)' is blocked: \(block.reason)"
        return VarlinkError(
            Varlink.Workspace.Blocked(
                account: account, kind: block.kind, reason: reason.english,
                words: reason.wire))
    }

    /// The file has no managed owner.
    package static func notManaged(_ reason: Message, next: String? = nil) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.NotManaged(reason: reason.english, words: reason.wire, next: next))
    }

    /// The named owner is not an account, and the caller did not confirm that it is meant.
    package static func unmanagedOwner(_ owner: String, _ guess: Message) -> VarlinkError {
        let reason: Message =
            "\(owner) is not a registered account, so its files would be plain\(guess)"
        return VarlinkError(
            Varlink.Workspace.UnmanagedOwner(
                account: owner, reason: reason.english, words: reason.wire))
    }

    /// The file does not exist, or is not in this workspace.
    package static func notFound(_ reason: Message, next: String? = nil) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.NotFound(reason: reason.english, words: reason.wire, next: next))
    }

    /// Content or header fails authentication.
    package static func damaged(_ reason: Message) -> VarlinkError {
        VarlinkError(Varlink.Workspace.Damaged(reason: reason.english, words: reason.wire))
    }

    /// Policy or the caller's rights forbid it.
    package static func refused(
        _ reason: Message, next: String? = nil, cause: RefusalCause? = nil
    ) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.Refused(
                reason: reason.english, words: reason.wire, next: next, by: cause?.rawValue))
    }

    /// The parameters are well-formed but make no sense.
    package static func invalidInput(_ reason: Message, next: String? = nil) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.InvalidInput(reason: reason.english, words: reason.wire, next: next))
    }

    /// The caller's user has too many calls running; `EAGAIN`.
    package static func busy(_ reason: Message) -> VarlinkError {
        systemError(.wouldBlock, reason)
    }

    /// A system call failed.
    package static func systemError(_ error: Errno, _ subject: Message) -> VarlinkError {
        let reason: Message = "\(subject): \(error)"
        return VarlinkError(
            Varlink.Workspace.SystemError(
                errno: Int(error.rawValue), reason: reason.english, words: reason.wire))
    }
}

extension VarlinkError {
    /// The error's name without the interface's.
    package var lastName: String { name.split(separator: ".").last.map(String.init) ?? name }

    /// The error as one of io.mamd.Workspace's; nil for another interface's.
    package var ofWorkspace: Varlink.Workspace.ErrorName? {
        guard name == "\(Varlink.Workspace.name).\(lastName)" else { return nil }
        return Varlink.Workspace.ErrorName(rawValue: lastName)
    }

    /// A command that helps; ``description`` does not contain it.
    package var next: String? { parameters["next"]?.text }

    package var refusalCause: RefusalCause? {
        parameters["by"]?.text.flatMap(RefusalCause.init)
    }

    /// The io.mamd.Workspace error that caused this one of io.mamd.Protection; any other error
    /// itself.
    package var workspaceError: VarlinkError {
        guard name.hasPrefix("\(Varlink.Protection.name)."),
            let cause = parameters["cause"]?.text
        else { return self }
        return VarlinkError("\(Varlink.Workspace.name).\(cause)", parameters)
    }
}

extension VarlinkError {
    /// The error with which the daemon would refuse the same.
    package init(_ refusal: Varlink.Workspace.Refusal) {
        self.init("\(Varlink.Workspace.name).\(refusal.error)", refusal.members)
    }
}

extension VarlinkError: Worded {
    package var description: String { message.english }

    /// One sentence for people.
    package var message: Message {
        let account = parameters["account"]?.text ?? "?"
        switch ofWorkspace {
        case .unknownAccount: return "no account '\(account)' is registered"
        case .accountExists: return "account '\(account)' is registered already"
        case .wrongPassphrase: return wrongPassphraseDescription(account)
        case .windowClosed: return "account '\(account)' is locked"
        default:
            return worded(parameters["reason"]?.text ?? plainDescription)
        }
    }

    /// The consequence of further wrong passphrases.
    package var outlook: Message? { parameters["outlook"]?.text.map(worded) }

    /// Nil if the passphrase may be entered again.
    package var consequence: GuessConsequence? {
        parameters["consequence"]?.text.flatMap(GuessConsequence.init(rawValue:))
    }

    private func worded(_ sentence: String) -> Message {
        Message(parameters["words"]?.array?.compactMap(\.text), else: sentence)
    }

    private func wrongPassphraseDescription(_ account: String) -> Message {
        let seconds = parameters["retryAfterSeconds"]?.integer ?? 0
        return switch consequence {
        case .wiped:
            "wrong passphrase for account '\(account)', once too often: its keys and files are"
                + " destroyed"
        case .lockedOut:
            "wrong passphrase for account '\(account)', once too often: the account is closed until"
                + " a login"
        case nil where seconds > 0:
            "wrong passphrase for account '\(account)'; the next try is allowed in \(seconds) s"
        case nil where account.isEmpty: "wrong passphrase"
        case nil: "wrong passphrase for account '\(account)'"
        }
    }

    private var plainDescription: String {
        let details = parameters.sorted { $0.key < $1.key }.compactMap { key, value in
            value.text.map { "\(key) \($0)" }
        }
        return details.isEmpty ? name : "\(name) (\(details.joined(separator: ", ")))"
    }
}
