// Registering an account, for the two interfaces that can.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Why an account was not registered.
enum Refusal: Error {
    case error(VarlinkError)
    /// A refusal with an enrolment status code.
    case status(EnrollmentStatus)
}

extension VaultService {
    func newAccount(
        _ name: String, objectID: String? = nil, newKeys: Bool? = nil, _ call: VarlinkCall
    ) throws(Refusal) -> AccountID {
        let given = try failing { () throws(VarlinkError) in
            try newIdentity(name, objectID ?? "")
        }
        let identity = SignInProofs(tree).completed(given, for: call.peer.uid)
        if let status = Registration(tree).refusal(
            of: identity, user: call.peer.uid, while: { call.isConnected })
        {
            throw .status(status)
        }
        let admission = SignInProofs(tree).admission(to: identity, for: call.peer.uid)
        if case .refused(let status) = admission { throw .status(status) }
        let account = try failing { () throws(VarlinkError) in
            if newKeys != true { try refuseNewKeys(for: identity, call) }
            let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
            return try keyed(identity.name) { () throws(KeyringError) in
                try Registration(tree).register(
                    identity, user: call.peer.uid, passphrase: passphrase)
            }
        }
        SignInProofs(tree).use(admission, of: identity, for: call.peer.uid, by: account)
        return account
    }

    /// Refuses new keys if files carry the account's name that no key here opens: they would look
    /// like its files and stay unreadable. Runs before the passphrase is read, so that a second
    /// call with `newKeys` can send the same descriptor.
    private func refuseNewKeys(
        for identity: Identity, _ call: VarlinkCall
    ) throws(VarlinkError) {
        let user = isTrusted(call.peer) ? nil : call.peer.uid
        let files: UnopenedFiles
        do throws(SearchEnd) {
            files = try Unopened(tree).unopenedFiles(of: identity, toldTo: user) {
                call.isConnected
            }
        } catch {
            // The caller has hung up: do not register.
            guard call.isConnected else { throw .systemError(.canceled, "its caller has gone") }
            throw .refused(
                "the search for files sealed for '\(identity)' did not end: \(error); newKeys does"
                    + " without it")
        }
        guard !files.isEmpty else { return }
        throw .sealedFiles(
            identity.description, files: files.count, example: files.example?.shown,
            hasHidden: files.hasHidden)
    }

    private func failing<Value>(
        _ body: () throws(VarlinkError) -> Value
    ) throws(Refusal) -> Value {
        do throws(VarlinkError) { return try body() } catch { throw .error(error) }
    }

    private func newIdentity(
        _ name: String, _ objectID: String
    ) throws(VarlinkError) -> Identity {
        guard !name.isEmpty else { throw .invalidInput("an account needs a name") }
        do throws(Identity.Invalid) {
            return try Identity(name: name, objectID: objectID)
        } catch { throw .invalidInput("the name or object id cannot be used: \(error)") }
    }
}
