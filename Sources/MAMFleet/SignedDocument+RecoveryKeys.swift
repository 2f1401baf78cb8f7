// Policies that name a recovery key, which order keys must sign, too.

internal import MAMFormat
internal import MAMModel
internal import MAMPolicy

extension Envelope {
    /// Whether a policy in it does. The key's private half opens accounts, so one policy key must
    /// not choose it (docs/adr/0099-what-opens-needs-two.md).
    package var namesRecoveryKey: Bool {
        ((try? policies()) ?? []).contains { !PolicyDocument.recoveryKeys(in: $0).isEmpty }
    }
}

extension MachineStanding {
    /// Of a document that is not in force yet: what an older version has accepted stays.
    func requireOrderKeys(of document: SignedDocument) throws(Refusal) {
        let takesAway = recoveryKeys[document.slot] != nil
        try document.requireOrderKeys(by: root, takingAway: takesAway)
        guard let since = wipingSince[document.slot], document.statement.issued < since,
            takesAway || document.envelope.namesRecoveryKey
        else { return }
        // Its key may be one that the organisation has taken back.
        throw .issuedBefore(since)
    }

    mutating func noteRecoveryKeys(of document: SignedDocument) {
        guard document.kind == .policy else { return }
        let named = PolicyDocument.recoveryKeys(in: document.content(on: machine))
        recoveryKeys[document.slot] = named.isEmpty ? nil : Set(named.map(\.text))
    }
}

extension SignedDocument {
    /// Refuses one that names a recovery key and that too few order keys have signed. `root`: the
    /// one by which the document was verified; `takingAway`: what it replaces names one.
    package func requireOrderKeys(
        by root: Root, takingAway: Bool = false
    ) throws(Refusal) {
        guard kind == .policy, !isOrdered, takingAway || envelope.namesRecoveryKey else { return }
        throw .recoveryKeyNotOrdered(
            found: envelope.signers(among: root.keys(of: .order)).count,
            needed: root.threshold(of: .order))
    }
}
