// A recovery passphrase: somebody keeps it first, and it opens the account then
// (docs/adr/0108-words-are-kept-before-they-count.md).

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMKeyring
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// One to be added to an account.
struct NewRecovery {
    private let account: AccountReport
    private let daemon: Daemon
    /// Nil to show it on the terminal.
    private let file: NewFile?

    var isShown: Bool { file == nil }

    init(
        for account: AccountReport, of daemon: Daemon, _ invocation: Invocation
    ) throws {
        let file = try NewFile.forRecovery(invocation)
        guard file != nil || PrivateScreen.isOffered else {
            throw invocation.misuse("the words need a terminal that can clear them, or a file")
        }
        try self.init(for: account, of: daemon, in: file)
    }

    /// Refused where the daemon would: before somebody writes words down for nothing.
    init(for account: AccountReport, of daemon: Daemon, in file: NewFile?) throws {
        guard !account.isRecoverable else {
            throw Failure(
                .refused,
                "\(account.label): the organisation has a recovery key, which is its way back:"
                    + " policy allows no recovery passphrase",
                next: "mamctl account passphrase --forgotten, once it is needed")
        }
        let slots = try daemon.slots(of: account)
        guard slots.count < KeySlot.maximumCount else {
            throw Failure(
                .refused,
                "\(account.label): the account has \(slots.count) slots, and its keybag has room"
                    + " for no more", next: "mamctl slot remove")
        }
        (self.account, self.daemon, self.file) = (account, daemon, file)
    }

    /// Nil if two of its words were not typed as they were shown.
    func add(opening: SecretBuffer) throws -> Varlink.Workspace.Slot? {
        let words = RecoveryPassphrase()
        if let file {
            try words.write(to: file)
        } else if try !words.areKept(by: account.label) {
            return nil
        }
        do {
            return try daemon.addWords(try words.secret(), to: account, opening: opening)
        } catch let failure as Failure { throw afterwards(failure) }
    }

    /// A file with words that open nothing is of no use.
    private func afterwards(_ failure: Failure) -> Failure {
        guard failure.leavesKeybag else {
            let kept: Message = file.map { "\($0.path.shown) has them" } ?? "keep them"
            return Failure(
                failure.status,
                "\(failure.message); whether the words open the account is not known: \(kept)",
                next: "mamctl slot list")
        }
        if let file { unlink(file.path.cString) }
        return failure
    }
}

extension Daemon {
    func addWords(
        _ words: SecretBuffer, to account: AccountReport, opening: SecretBuffer
    ) throws -> Varlink.Workspace.Slot {
        var secrets = SecretParameters()
        let request = Varlink.Workspace.AddSlot(
            account: account.label, type: .recovery,
            passphraseDescriptor: try secrets.add(opening),
            newPassphraseDescriptor: try secrets.add(words))
        return try call(
            request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
        ).slot
    }
}

extension Failure {
    /// Whether the daemon has surely changed nothing: it says so, and not after a failed write.
    fileprivate var leavesKeybag: Bool {
        kind != nil && kind != Varlink.Workspace.ErrorName.systemError.rawValue
    }
}

extension NewFile {
    /// What `--recovery-file` names, if anything.
    static func forRecovery(_ invocation: Invocation) throws -> NewFile? {
        guard let path = invocation.arguments.value(Option.recoveryFile.name) else { return nil }
        guard path.text != "-" else {
            throw invocation.misuse("the words go to a file, not to standard output")
        }
        let file = try NewFile(
            for: path, replacing: false,
            insteadOfReplacing: "name another file; words are never replaced")
        guard workspace(of: file.descriptor) == nil else {
            throw Failure(
                .usage, "\(path.shown) is in a workspace, which only the words may open",
                next: "write it elsewhere")
        }
        return file
    }
}
