// `account passphrase --export`: a new passphrase in place of a forgotten one.

internal import MAMCommandLine
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct PassphraseReset {
    let invocation: Invocation
    let path: ByteString
    let daemon: Daemon

    /// The account of the export, and its new passphrase.
    func reset() throws -> (AccountReport, SecretBuffer?) {
        try invocation.refuse(["passfile", "extpass"], with: "export")
        let source = try ExportSource(invocation, at: path) { _ = try self.account(of: $0) }
        let account = try self.account(of: source.export)
        let new = try askingAgain(if: invocation.arguments.isTyped("new-")) {
            try replacePassphrase(of: account, source)
        }
        return (try self.account(of: source.export), new)
    }

    private func replacePassphrase(
        of account: AccountReport, _ source: ExportSource
    ) throws -> SecretBuffer? {
        var (opening, secrets) = try source.opening()
        let new = try invocation.newPassphrase(replacing: account)
        let request = Varlink.Recovery.ResetPassphrase(
            account: account.label, fileDescriptor: opening.fileDescriptor,
            exportPassphraseDescriptor: opening.exportPassphraseDescriptor,
            recoveryKeyDescriptor: opening.recoveryKeyDescriptor,
            recoveryKeyPassphraseDescriptor: opening.recoveryKeyPassphraseDescriptor,
            passphraseDescriptor: try secrets.add(new), noPassphrase: new == nil ? true : nil)
        try daemon.call(request, descriptors: secrets.descriptors, about: .verbatim(path.shown))
        return new
    }

    /// The account that the operand names, which must be the export's, else the export's.
    private func account(of export: KeyExport) throws -> AccountReport {
        let named = invocation.operands.isEmpty ? nil : try invocation.account(of: daemon)
        let own = try daemon.status().accounts.first { $0.id == "\(export.accountID.bytes)" }
        if let own, named == nil || named?.id == own.id { return own }
        let whose: Message =
            "\(path.shown) has the keys of \(shown(export.identity.description)),"
            + " account \(export.accountID.bytes)"
        if let named {
            throw Failure(
                .refused, "\(whose), and not those of \(named.label), account \(named.id)")
        }
        throw Failure(
            .notFound, "\(whose), which is not in the workspace '\(daemon.name)'",
            next: "mamctl account import \(path.asArgument)")
    }
}
