// The notes of one account: all that this program asks of the workspace.

internal import Glibc
internal import MAMClient

/// A directory of the mount whose files belong to an account.
struct Notebook {
    let workspace: Workspace
    let account: String
    let directory: String

    init(of account: String) throws(MAMError) {
        workspace = try Workspace()
        self.account = account
        directory = try workspace.mountPoint() + "/Notes"
    }

    /// Registers the account, or unlocks it if it is registered. The daemon reads the passphrase
    /// from the file.
    func signIn(passphraseFile: String) throws {
        let file = try descriptor(open(passphraseFile, O_RDONLY | O_CLOEXEC), passphraseFile)
        defer { close(file) }
        if try workspace.policies.isAccountIdManaged(account) {
            try workspace.unlock(account, passphrase: .descriptor(file))
        } else {
            let status = try workspace.enrollment.registerAndEnrollAccount(
                account, passphrase: .descriptor(file))
            guard status.didSucceed else {
                throw Refusal("\(status.statusCode): \(status.errorString ?? "refused")")
            }
        }
        mkdir(directory, 0o700)
        // What lies there already becomes the account's, and what others make there too.
        try workspace.fileProtection.verifyAndProtect(.path(directory), accountId: account)
    }

    /// Files written inside the scope belong to the account, whatever else this program works for.
    func add(_ title: String, _ text: String) throws {
        try workspace.policies.setCurrentThreadAccountId(account) {
            try write(text, to: "\(directory)/\(title)", O_CREAT | O_TRUNC)
        }
    }

    func text(_ title: String) throws -> String {
        try workspace.policies.setCurrentThreadAccountId(account) {
            try read("\(directory)/\(title)")
        }
    }

    /// Whose a note is, and whether it can be read now.
    func describe(_ title: String) throws -> String {
        let note = FileReference.path("\(directory)/\(title)")
        guard let info = try workspace.fileProtection.protectionInfo(note) else {
            return "\(title): nobody's"
        }
        return "\(title): \(info.accountId), \(info.state)"
    }

    /// Copies a note out of the workspace, if policy lets it go there.
    func export(_ title: String, to path: String) throws {
        let note = FileReference.path("\(directory)/\(title)")
        let policy = workspace.policies.policy(forAccountId: account)
        let decision = try policy.decision(.saveFile(note, to: .other, of: nil))
        guard decision.isAllowed else { throw Refusal(decision.reason) }
        try write(try text(title), to: path, O_CREAT | O_EXCL)
    }

    /// The organisation's signature under notes, if it wants one.
    func signature() throws -> String? {
        try workspace.appConfig.appConfig(forAccountId: account).stringValue(forKey: "signature")
    }

    /// Tells when the notes come and go, until they are gone for good.
    func listen(_ tell: (String) -> Void) throws {
        try workspace.watch().forEach { event in
            guard event.account?.name == account else { return true }
            switch event.kind {
            case .willBecomeUnavailable: tell("closing in \(event.seconds ?? 0) s: save now")
            case .unavailable: tell("closed: show nothing of them")
            case .available: tell("open")
            case .policyChanged: tell("policy changed: ask again")
            case .wiped: tell("wiped: forget them")
            default: break
            }
            return event.kind != .wiped
        }
    }

    /// Shows the notes before something of their account comes into this login session.
    func answerSwitches(_ tell: (String) -> Void) throws {
        let requests = try workspace.switchRequests()
        try requests.forEach(whenReady: { tell("ready") }) { request in
            guard request.accountId == account else { return .notAllowed }
            tell("showing the notes of \(account)")
            return .success
        }
    }
}
