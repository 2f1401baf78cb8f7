// `setup`: its passphrases. On a terminal a mistake costs nothing but another try.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Each is asked for once, unless it was wrong.
final class SetupPassphrases {
    private let invocation: Invocation
    private let name: String
    private(set) var account: SecretBuffer?
    private var export: SecretBuffer?

    init(_ invocation: Invocation, of name: String) {
        (self.invocation, self.name) = (invocation, name)
    }

    /// Of a new workspace, before anything is made: its policy is known, unless somebody has put
    /// another one in place.
    func askAhead(in workspace: WorkspaceName, forFile: Bool) throws {
        let pin = try newWorkspacePin(workspace)
        try retrying {
            guard let secret = try new() else {
                guard pin.isRequired else { return }
                throw Failure(
                    .refused,
                    "policy requires a passphrase (pinRequired): leave --no-passphrase out")
            }
            try refuse(secret.withBytes { pin.flaw(in: $0) }) { account = nil }
        }
        guard forFile else { return }
        let check = {
            let secret = try self.forExport()
            try self.refuse(secret.withBytes { pin.flaw(forFile: $0) }) { self.export = nil }
        }
        try retrying(check, isTyped: isTyped("export-"))
    }

    private func refuse(_ flaw: PinFlaw?, _ forget: () -> Void) throws(Failure) {
        guard let flaw else { return }
        forget()
        var failure = Failure(
            .refused, "the passphrase is not good enough: \(flaw.message)",
            next: "take another one")
        failure.refusalCause = .passphrase
        throw failure
    }

    /// A new account's; nil if the device alone protects its keys.
    func new() throws -> SecretBuffer? {
        if invocation.arguments.has("no-passphrase") {
            try invocation.refuse(["passfile", "extpass"], with: "no-passphrase")
            return nil
        }
        if account == nil {
            account = try invocation.passphrase("Passphrase for \(name)", isNew: true)
        }
        return account
    }

    func current(_ label: String) throws -> SecretBuffer {
        let secret =
            try account ?? invocation.passphrase("Passphrase of \(label)", isNew: false)
        account = secret
        return secret
    }

    /// Not what the file is to replace, if somebody types it.
    func forExport() throws -> SecretBuffer {
        if let export { return export }
        let secret = try invocation.passphrase(
            "Passphrase of the recovery file", isNew: true, optionPrefix: "export-")
        guard isTyped("export-"), let account, secret.equals(account) else {
            export = secret
            return secret
        }
        throw Failure(
            .usage,
            "that is the account's passphrase: who forgets it could not open the recovery file",
            next: "take another one, and keep it where the file is not")
    }

    /// After the daemon has refused something that they were for.
    func forgetRefused(_ status: ExitStatus) {
        // One that the account took stays, whatever is wrong with the recovery file's.
        if status != .usage { account = nil }
        export = nil
    }

    private func isTyped(_ prefix: String = "") -> Bool { invocation.arguments.isTyped(prefix) }

    func retrying<Value>(
        _ body: () throws -> Value, isTyped: Bool? = nil, forget: (ExitStatus) -> Void = { _ in }
    ) throws -> Value {
        try askingAgain(
            if: isTyped ?? self.isTyped(), for: [.usage, .wrongPassphrase], body, forget: forget)
    }
}

/// No rules if documents are there already: the daemon knows what they mean together.
private func newWorkspacePin(_ name: WorkspaceName) throws -> PinRules {
    let policies = ByteString(Places.current.configuration(of: name)).appending("policies")
    let found = try? entries(of: try openFile(policies.cString, O_RDONLY | O_DIRECTORY).raw)
    guard found?.isEmpty ?? true else { return PinRules() }
    return EffectivePolicy.merge(try PolicyDocument.decode(defaultPolicy.encoded())).pin
}
