// `setup`: the account, unlocked, and a copy of its keys.

internal import Glibc
internal import MAMKeyring
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

struct SetupAccount {
    let invocation: Invocation
    let daemon: Daemon
    let name: String

    /// Once it was asked for. On a terminal a mistake costs nothing but another try.
    private(set) var passphrase: SecretBuffer?

    init(_ invocation: Invocation, _ daemon: Daemon, name: String) {
        (self.invocation, self.daemon, self.name) = (invocation, daemon, name)
    }

    private func found() throws -> AccountReport? {
        try daemon.status().accounts.first { $0.isNamed(name) }
    }

    /// Registers it, or unlocks the one that is there. `askingAnyway`: has the daemon check the
    /// passphrase of one that is unlocked, so that ``passphrase`` is known to be right.
    mutating func open(askingAnyway: Bool) throws -> AccountReport {
        guard let account = try found() else { return try register() }
        guard askingAnyway || account.window != .unlocked else { return account }
        return try retrying { setup in
            var secrets = SecretParameters()
            let request = Varlink.Workspace.Unlock(
                account: account.label,
                passphraseDescriptor: try setup.current(of: account, in: &secrets))
            return try setup.daemon.call(
                request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
            ).account
        }
    }

    private mutating func register() throws -> AccountReport {
        try signIn(invocation, as: name, objectID: nil, to: daemon)
        return try retrying { setup in
            var secrets = SecretParameters()
            let new = try setup.new(in: &secrets)
            let request = Varlink.Workspace.RegisterAccount(
                name: setup.name, passphraseDescriptor: new, noPassphrase: new == nil ? true : nil)
            return try mamctl.register(request, secrets.descriptors, setup.daemon)
        }
    }

    private mutating func new(in secrets: inout SecretParameters) throws -> Int? {
        if invocation.arguments.has("no-passphrase") {
            return try invocation.newPassphrase(of: name, in: &secrets)
        }
        let secret = try invocation.passphrase("Passphrase for \(name)", isNew: true)
        passphrase = secret
        return try secrets.add(secret)
    }

    private mutating func current(
        of account: AccountReport, in secrets: inout SecretParameters
    ) throws -> Int? {
        guard account.hasPassphrase else { return nil }
        let secret =
            try passphrase
            ?? invocation.passphrase("Passphrase of \(account.label)", isNew: false)
        passphrase = secret
        return try secrets.add(secret)
    }

    /// Before anything is registered: an older file has no keys of a new account. Imports the keys
    /// that sealed files here need.
    mutating func readRecoveryFile(_ path: ByteString) throws {
        guard Self.exists(path), try found() == nil else { return }
        let status = try daemon.status()
        guard status.needsImport, let (file, export) = try? readExport(path),
            export.identity.matches(name),
            try naming(path, { () throws(Errno) in try CachedFacts(of: file.raw).uid }) == geteuid()
        else { throw Self.holdsOtherKeys(path) }
        printError("\(path.shown) has the keys of the files here")
        try signIn(invocation, as: name, objectID: nil, to: daemon)
        try retrying { setup in
            let source = try ExportSource(setup.invocation, at: path)
            _ = try source.importKeys(into: setup.daemon) { secrets in
                try setup.new(in: &secrets)
            }
        }
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
    mutating func export(_ account: AccountReport, to path: ByteString) throws {
        if Self.exists(path) {
            let (file, export) = try readExport(path)
            let owner = try naming(path) { () throws(Errno) in try CachedFacts(of: file.raw).uid }
            guard owner == geteuid(), "\(export.accountID.bytes)" == account.id,
                export.holdsAllKeys(of: try keybag(of: account, comparedWith: path))
            else { throw Self.holdsOtherKeys(path) }
            return
        }
        try retrying { setup in
            let file = try NewFile(for: path, replacing: false)
            var secrets = SecretParameters()
            let current = try setup.current(of: account, in: &secrets)
            let export = try secrets.add(try setup.exportPassphrase())
            _ = try mamctl.export(
                account, to: file, passphrase: current, sealedBy: export, secrets, setup.daemon)
        }
    }

    private func keybag(
        of account: AccountReport, comparedWith path: ByteString
    ) throws(Failure) -> Keybag {
        let file = "\(Places.current.state(of: daemon.name))/keybags/\(account.id).keybag"
        guard let keybag = readNewestKeybag(file) else {
            throw Failure(
                .failure,
                "\(path.shown) exists, and cannot be compared with the account's keys: \(file)"
                    + " cannot be read",
                next: "mamctl verify, or add --recovery with another FILE")
        }
        return keybag
    }

    /// Not what the file is to replace, if somebody types it.
    private func exportPassphrase() throws -> SecretBuffer {
        let secret = try invocation.passphrase(
            "Passphrase of the recovery file", isNew: true, optionPrefix: "export-")
        let isGiven =
            invocation.arguments.has("export-passfile")
            || invocation.arguments.has("export-extpass")
        guard !isGiven, let passphrase, secret.equals(passphrase) else { return secret }
        throw Failure(
            .usage,
            "that is the account's passphrase: who forgets it could not open the recovery file",
            next: "take another one, and keep it where the file is not")
    }

    /// On a terminal asks again, as long as what was typed is what was wrong.
    private mutating func retrying<Value>(
        _ body: (inout SetupAccount) throws -> Value
    ) throws -> Value {
        let isTyped =
            isatty(STDIN_FILENO) == 1 && !invocation.arguments.has("passfile")
            && !invocation.arguments.has("extpass")
        for _ in 1..<3 where isTyped {
            do { return try body(&self) } catch let failure as Failure
                where [.usage, .refused, .wrongPassphrase].contains(failure.status)
            {
                printError("mamctl: \(failure.message)")
                // One that the account took stays, whatever is wrong with the recovery file's.
                if failure.status != .usage { passphrase = nil }
            }
        }
        return try body(&self)
    }
}
