// The errors of io.mamd.Workspace, one constructor each.

package import MAMModel
package import MAMSystem

extension VarlinkError {
    package init(_ failure: some VarlinkFailure) {
        self.init(type(of: failure).errorName, failure.members)
    }

    /// No account has this name, object id or id.
    package static func unknownAccount(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.UnknownAccount(account: account))
    }

    /// An account with this name or object id is registered already.
    package static func accountExists(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.AccountExists(account: account))
    }

    /// Files carry the name, and no key here opens them; nor would the account's new ones.
    ///
    /// `hasHidden`: there are some of which the caller learns no more.
    package static func sealedFiles(
        _ account: String, files: Int, example: String?, hasHidden: Bool
    ) -> VarlinkError {
        let more = files > 1 ? " and \(files - 1) more" : ""
        let subjects = [example.map { $0 + more }, hasHidden ? "files of other users" : nil]
        let subject = subjects.compactMap(\.self).joined(separator: ", and ")
        return VarlinkError(
            Varlink.Workspace.SealedFiles(
                account: account, files: files, example: example,
                reason: "\(subject) are sealed for '\(account)' with keys that are not here,"
                    + " and new keys would not open them"))
    }

    /// The passphrase is not the account's; the next one is tried after `retryAfterSeconds`.
    /// `outlook`: what more wrong ones bring.
    package static func wrongPassphrase(
        _ account: String, retryAfterSeconds: Int, outlook: String? = nil
    ) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.WrongPassphrase(
                account: account, retryAfterSeconds: retryAfterSeconds, outlook: outlook))
    }

    /// Nobody knows yet whether the passphrase is right; it is tried after `retryAfterSeconds`.
    package static func notTried(
        _ account: String, retryAfterSeconds: Int, because reason: String
    ) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.NotTried(
                account: account, retryAfterSeconds: retryAfterSeconds,
                reason: "the passphrase for account '\(account)' was not tried: \(reason);"
                    + " it can be in \(retryAfterSeconds) s"))
    }

    /// The account is locked.
    package static func windowClosed(_ account: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.WindowClosed(account: account))
    }

    /// Policy keeps the account closed.
    package static func blocked(_ account: String, _ block: AccountBlock) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.Blocked(
                account: account, kind: block.kind.rawValue,
                reason: "account '\(account)' is blocked: \(block.reason)"))
    }

    /// The file has no managed owner.
    package static func notManaged(_ reason: String, next: String? = nil) -> VarlinkError {
        VarlinkError(Varlink.Workspace.NotManaged(reason: reason, next: next))
    }

    /// The owner that is named is no account, and nothing says that this is meant.
    package static func unmanagedOwner(_ owner: String, _ guess: String) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.UnmanagedOwner(
                account: owner,
                reason: "\(owner) is no registered account, so what is its would be plain\(guess)"
            ))
    }

    /// The file is not there, or not in this workspace.
    package static func notFound(_ reason: String, next: String? = nil) -> VarlinkError {
        VarlinkError(Varlink.Workspace.NotFound(reason: reason, next: next))
    }

    /// Content or header fail authentication.
    package static func damaged(_ reason: String) -> VarlinkError {
        VarlinkError(Varlink.Workspace.Damaged(reason: reason))
    }

    /// Policy, or the caller's rights, forbid it.
    package static func refused(_ reason: String, next: String? = nil) -> VarlinkError {
        VarlinkError(Varlink.Workspace.Refused(reason: reason, next: next))
    }

    /// The parameters are well-formed and make no sense.
    package static func invalidInput(_ reason: String, next: String? = nil) -> VarlinkError {
        VarlinkError(Varlink.Workspace.InvalidInput(reason: reason, next: next))
    }

    /// The caller's user has too much under way already; `EAGAIN`.
    package static func busy(_ reason: String) -> VarlinkError {
        systemError(.wouldBlock, reason)
    }

    /// A system call failed.
    package static func systemError(_ error: Errno, _ reason: String) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.SystemError(
                errno: Int(error.rawValue), reason: "\(reason): \(error)"))
    }
}

extension VarlinkError {
    /// The name without the interface's.
    package var lastName: String { name.split(separator: ".").last.map(String.init) ?? name }

    /// Which one of io.mamd.Workspace; nil for any other.
    package var ofWorkspace: Varlink.Workspace.ErrorName? {
        guard name == "\(Varlink.Workspace.name).\(lastName)" else { return nil }
        return Varlink.Workspace.ErrorName(rawValue: lastName)
    }

    /// A command that helps, of which the sentence says nothing.
    package var next: String? { parameters["next"]?.text }

    /// The error of the workspace's interface that this one is about, with its status in the words;
    /// itself for any other.
    package var workspaceError: VarlinkError {
        guard name.hasPrefix("\(Varlink.Protection.name)."),
            let cause = parameters["cause"]?.text
        else { return self }
        return VarlinkError("\(Varlink.Workspace.name).\(cause)", parameters)
    }
}

extension VarlinkError: CustomStringConvertible {
    /// One sentence for a person.
    package var description: String {
        let account = parameters["account"]?.text ?? "?"
        switch ofWorkspace {
        case .unknownAccount: return "no account '\(account)' is registered"
        case .accountExists: return "account '\(account)' is registered already"
        case .wrongPassphrase: return wrongPassphraseDescription(account)
        case .windowClosed: return "account '\(account)' is locked"
        default: return parameters["reason"]?.text ?? plainDescription
        }
    }

    private func wrongPassphraseDescription(_ account: String) -> String {
        let seconds = parameters["retryAfterSeconds"]?.integer ?? 0
        let wait = seconds > 0 ? "; the next try is allowed in \(seconds) s" : ""
        return "wrong passphrase for account '\(account)'\(wait)"
    }

    private var plainDescription: String {
        let details = parameters.sorted { $0.key < $1.key }.compactMap { key, value in
            value.text.map { "\(key) \($0)" }
        }
        return details.isEmpty ? name : "\(name) (\(details.joined(separator: ", ")))"
    }
}
