// `setup`: the account, unlocked, and a copy of its keys.

internal import Glibc
internal import MAMCommandLine
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct SetupAccount {
    let invocation: Invocation
    let daemon: Daemon
    let answers: SetupAccountAnswers
    let offer: RecoveryOffer
    private var name: String { answers.name }
    private var passphrases: SetupPassphrases { answers.passphrases }

    /// `askingAnyway`: has the daemon check the passphrase of one that is unlocked, so that it is
    /// known to be right. The slot is that of a new recovery passphrase.
    func open(
        askingAnyway: Bool
    ) throws -> (AccountReport, Varlink.Workspace.Slot?) {
        if let file = answers.recoveryFile { try readRecoveryFile(file) }
        let isNew = try found() == nil
        if isNew { try offer.refuseKept() }
        let account = try opened(askingAnyway: askingAnyway)
        if let file = answers.recoveryFile { try export(account, to: file) }
        guard isNew || offer.isOrdered else { return (account, nil) }
        let slot = try offer.take(for: account, opening: try current(of: account), of: daemon)
        return (account, slot)
    }

    private func found() throws -> AccountReport? {
        try daemon.status().accounts.first { $0.isNamed(name) }
    }

    /// Registers it, or unlocks the one that is there.
    private func opened(askingAnyway: Bool) throws -> AccountReport {
        guard let account = try found() else { return try register() }
        guard askingAnyway || account.state != .unlocked else { return account }
        return try retrying {
            try daemon.unlock(account) { secrets in try current(of: account, in: &secrets) }
        }
    }

    private func register() throws -> AccountReport {
        try signIn(invocation, as: name, objectID: nil, to: daemon)
        return try retrying {
            var secrets = SecretParameters()
            let new = try new(in: &secrets)
            let request = Varlink.Workspace.RegisterAccount(
                name: name, passphraseDescriptor: new, noPassphrase: new == nil ? true : nil)
            return try mamctl.register(request, secrets.descriptors, daemon)
        }
    }

    private func new(in secrets: inout SecretParameters) throws -> Int? {
        try secrets.add(try passphrases.new())
    }

    private func current(
        of account: AccountReport, in secrets: inout SecretParameters
    ) throws -> Int? {
        try secrets.add(try current(of: account))
    }

    private func current(of account: AccountReport) throws -> SecretBuffer? {
        guard account.hasPassphrase else { return nil }
        // As it is now: after a wrong passphrase this is asked again.
        try invocation.agreeToLastTry(of: try found() ?? account)
        return try passphrases.current(account.label)
    }

    /// Before anything is registered: an older file has no keys of a new account. Imports the keys
    /// that sealed files here need.
    private func readRecoveryFile(_ path: ByteString) throws {
        guard Self.exists(path), try found() == nil else { return }
        let status = try daemon.status()
        guard status.needsImport, let (file, export) = try? readExport(path),
            export.identity.matches(name),
            try naming(path, { () throws(Errno) in try CachedFacts(of: file.raw).uid }) == geteuid()
        else { throw Self.holdsOtherKeys(path) }
        printError("\(path.shown) has the keys of the files here")
        try signIn(invocation, as: name, objectID: nil, to: daemon)
        try retrying {
            let source = try ExportSource(invocation, at: path)
            _ = try source.importKeys(into: daemon) { secrets in try new(in: &secrets) }
        }
    }

    /// Of a new workspace: whether it can be written, before anything is made.
    static func checkRecoveryFile(_ path: ByteString, adopting: Bool) throws {
        guard exists(path) else { return _ = try NewFile(for: path, replacing: false) }
        // With the keys of what is adopted.
        guard adopting else { throw holdsOtherKeys(path) }
    }

    private static func exists(_ path: ByteString) -> Bool {
        faccessat(workingDirectory, path.cString, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    private static func holdsOtherKeys(_ path: ByteString) -> Failure {
        Failure(
            .failure, "\(path.shown) exists, and does not hold this account's keys",
            next: "move it away, or add --recovery with another FILE")
    }

    /// An earlier run may have written the file. An empty passphrase is the account's own.
    private func export(_ account: AccountReport, to path: ByteString) throws {
        guard !Self.exists(path) else { return try requireAllKeys(of: account, in: path) }
        try retrying {
            let file = try NewFile(for: path, replacing: false)
            var secrets = SecretParameters()
            let current = try current(of: account, in: &secrets)
            let export = try secrets.add(try passphrases.forExport())
            _ = try mamctl.export(
                account, to: file, passphrase: current, sealedBy: export, secrets, daemon)
        }
    }

    private func requireAllKeys(of account: AccountReport, in path: ByteString) throws {
        // A pipe would keep us waiting.
        let file = try openFile(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        let request = Varlink.Recovery.CompareKeys(account: account.label, fileDescriptor: 0)
        guard try naming(path, CachedFacts(of: file.raw).uid) == geteuid(),
            try daemon.call(request, descriptors: [file], about: .verbatim(path.shown)).holdsAllKeys
        else { throw Self.holdsOtherKeys(path) }
    }

    private func retrying<Value>(_ body: () throws -> Value) throws -> Value {
        try passphrases.retrying(body, forget: passphrases.forgetRefused)
    }
}
