// Registering an account: what both interfaces that can do it share.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Why nothing was registered.
enum Refusal: Error {
    case error(VarlinkError)
    /// A refusal that enrolment has a number for.
    case status(EnrollmentStatus)
}

extension VaultService {
    func newAccount(
        _ name: String, objectID: String? = nil, newKeys: Bool? = nil, _ call: VarlinkCall
    ) throws(Refusal) -> AccountID {
        let identity = try failing { () throws(VarlinkError) in
            try newIdentity(name, objectID ?? "")
        }
        if let status = Registration(tree).refusal(
            of: identity, user: call.peer.uid, while: { call.isConnected })
        {
            throw .status(status)
        }
        return try failing { () throws(VarlinkError) in
            if newKeys != true { try refuseNewKeys(for: identity, call) }
            let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
            return try keyed(identity.name) { () throws(KeyringError) in
                try Registration(tree).register(
                    identity, user: call.peer.uid, passphrase: passphrase)
            }
        }
    }

    /// Files that no key here opens would look like the account's, and stay shut for good. Comes
    /// before the passphrase is read: a second call with `newKeys` can send the same.
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
            // Answers nobody, and registers nothing unasked.
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
