// Policies that name a recovery key, which order keys must sign, too.

internal import MAMModel
internal import MAMPolicy

extension Envelope {
    /// Whether a policy in it does. The key's private half opens accounts, so one policy key must
    /// not choose it (docs/adr/0099-what-opens-needs-two.md).
    package var namesRecoveryKey: Bool {
        ((try? policies()) ?? []).contains { !PolicyDocument.recoveryKeys(in: $0).isEmpty }
    }
}

extension SignedDocument {
    /// Refuses one that names a recovery key and that too few order keys have signed. `root`: the
    /// one by which the document was verified.
    package func requireOrderKeys(by root: Root) throws(Refusal) {
        guard !isOrdered, envelope.namesRecoveryKey else { return }
        throw .recoveryKeyNotOrdered(
            found: envelope.signers(among: root.keys(of: .order)).count,
            needed: root.threshold(of: .order))
    }
}
