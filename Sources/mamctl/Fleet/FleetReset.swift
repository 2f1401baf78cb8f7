// `fleet order reset`: seals an account's keys to the request of whoever has forgotten its
// passphrase.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// A request in a machine's newest status, which the machine has signed.
struct FleetReset {
    private let invocation: Invocation
    private let directory: FleetDirectory
    private let survey: Survey
    private let machine: SurveyedMachine
    private let account: MachineStatus.Account
    private let request: ResetRequest

    /// Refused where the machine would refuse the order.
    init(of account: Bytes16, on machine: MachineID, _ invocation: Invocation) throws {
        self.invocation = invocation
        directory = try FleetDirectory(of: invocation)
        survey = try directory.survey(invocation)
        guard let found = survey.machine(machine), !found.isRevoked, let status = found.status,
            let told = status.accounts.first(where: { $0.id == account })
        else {
            throw Failure(
                .notFound, "no machine of the register has told an account \(account)",
                next: "mamctl fleet status --all lists them")
        }
        self.machine = found
        self.account = told
        guard let request = told.reset, request.ends > survey.time else {
            throw Failure(
                .refused,
                "\(excerpt(of: told.name)) asks for no new passphrase, as far as the last report"
                    + " tells",
                next: "have the person run: mamctl account passphrase --forgotten")
        }
        self.request = request
    }

    /// Shows who asks, asks for the code, then opens the account's record with the recovery key.
    func answer() throws -> Order.Reset {
        // A person waits on the line: nothing is asked before what would refuse it anyway.
        let path = try required("recovery-key", invocation)
        _ = try readKeyFile(RecoveryKeyFile.self, path)
        try ResetAsker(machine: machine, account: account, directory: directory, survey: survey)
            .confirm(invocation)
        try requireCode()
        let pair = try openKeyFile(RecoveryKeyFile.self, path, invocation, optionPrefix: "key-")
        let (export, opened) = try record(pair)
        let key = Curve25519.PublicKey(reading: request.publicKey.span.bytes, at: 0)
        do throws(KeyringError) {
            let sealed = try export.resealed(opened, to: RecoveryPublicKey(key))
            return Order.Reset(publicKey: request.publicKey, record: sealed.bytes)
        } catch { throw Failure(.failure, "the keys of \(name) were not sealed: \(error)") }
    }

    private var name: String { excerpt(of: account.name) }

    /// Never shown here: who asks must have read it at the machine.
    private func requireCode() throws {
        let typed = try typedCode()
        guard code(of: request.publicKey).isTyped(typed) else {
            if let order = earlierAnswer(to: typed) {
                throw Failure(
                    .refused,
                    "that code was answered before, by \(order.file), and counts once: nothing is"
                        + " signed",
                    next: "have the person run mamctl account passphrase --forgotten, and read the"
                        + " code that it shows now")
            }
            throw Failure(
                .refused,
                "that is not the code of the request of \(name): nothing is signed",
                next: "have it read again; if it stays wrong, somebody else asks")
        }
    }

    private func code(of publicKey: [UInt8]) -> ResetCode {
        ResetCode(
            publicKey, of: account.id, on: machine.entry.machine,
            in: directory.root.organization)
    }

    /// The order that answered another request of this account.
    private func earlierAnswer(to typed: String) -> SurveyedOrder? {
        survey.orders.orders.first { order in
            guard order.order.account == account.id, let reset = order.order.reset else {
                return false
            }
            return code(of: reset.publicKey).isTyped(typed)
        }
    }

    private func typedCode() throws -> String {
        if let given = try invocation.arguments.text("code") { return given }
        guard isatty(STDIN_FILENO) == 1 else {
            throw invocation.misuse("no terminal to ask for the person's code: add --code CODE")
        }
        let typed = try Terminal.askOpenly("Code that \(name) reads to you")
        return try typed.requireText("the code")
    }

    /// A record that the recovery key opens, with the keys that the account has now.
    private func record(
        _ pair: Curve25519.KeyPair
    ) throws -> (KeyExport, ExportedKeys) {
        let records = try survey.records(
            directory.place, of: directory.root.organization,
            machines: survey.machines.indices.filter {
                survey.machines[$0].entry.machine == machine.entry.machine
            }
        ).filter { $0.account == account.id }
        // The status has the account, so it is listed, with a record or without.
        guard let found = records.first else { throw survey.unknownMachine(name) }
        let checked = CheckedRecord(found, pair, directory.root.organization)
        guard checked.state == .proven, !checked.isWiped, case .record(let report, _) = found.found
        else {
            throw Failure(
                checked.isWiped ? .refused : checked.state == .missing ? .notFound : .damaged,
                "the recovery record of \(name): \(checked.words)", next: pullFirst)
        }
        let (export, opened): (KeyExport, ExportedKeys)
        do throws(KeyExportError) {
            export = try KeyExport.decode(report.record)
            opened = try export.open(recoveryKey: pair)
        } catch { throw Failure(.damaged, "the recovery record of \(name): \(error)") }
        try require(export.identity)
        guard export.keySet == request.keySet else {
            throw Failure(
                .refused,
                "the recovery record of \(name) here is older than the keys that it has now",
                next: pullFirst)
        }
        return (export, opened)
    }

    /// Another machine may have read the record, and give its keys another name. The record's own
    /// is proven with them.
    private func require(_ owner: Identity) throws(Failure) {
        let isSame =
            account.name.isEmpty
            ? owner.name.isEmpty && owner.objectID.isSameFolded(account.objectID)
            : owner.isNamed(account.name)
        guard !isSame else { return }
        throw Failure(
            .refused,
            "the recovery record of \(name) has the keys of \(excerpt(of: owner.description)):"
                + " nothing is signed",
            next: "find out who has this machine: it sends what is not its own")
    }

    private var pullFirst: Message { "mamfleet pull fetches what machines have sent" }
}
