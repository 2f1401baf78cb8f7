import MAMCrypto
import MAMFormat
import MAMModel
import Testing

@testable import MAMKeyring

/// A request for a new passphrase, and the keys that answer it.
@Suite(.serialized) struct ResetRequestTests {
    private func answer(
        _ keyring: Keyring, _ account: AccountID, to request: StoredResetRequest,
        from organization: Curve25519.KeyPair
    ) throws -> KeyExport {
        let record = try #require(
            try keyring.recovery.sealKeys(
                of: account, to: RecoveryPublicKey(organization.publicKey)))
        #expect(record.keySet == keyring.keySet(of: account))
        let opened = try record.open(recoveryKey: organization)
        return try record.resealed(opened, to: RecoveryPublicKey(request.publicKey))
    }

    @Test func `its key opens what is sealed to it, over a restart, and no other key does`() throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: "right")
        let organization = try Curve25519.KeyPair.random()
        let request = try keyring.askForReset(account)
        let sealed = try answer(keyring, account, to: request, from: organization)
        #expect(throws: KeyExportError.self) { try sealed.open(recoveryKey: organization) }
        let again = try state.start()
        let kept = try #require(again.resetRequest(of: account))
        #expect(kept.publicKey == request.publicKey)
        #expect(try again.askForReset(account).publicKey == request.publicKey)
        let opened = try KeyExport.decode(sealed.bytes).open(answering: kept)
        try again.resetPassphrase(account, with: sealed, opened, to: passphrase("new"))
        // The keybag's change alone ends it.
        #expect(again.resetRequest(of: account) == nil)
        #expect(try state.start().resetRequest(of: account) == nil)
        try again.unlock(account, "new")
        let next = try again.askForReset(account)
        #expect(next.publicKey != request.publicKey)
        #expect(throws: KeyExportError.self) { try sealed.open(answering: next) }
    }

    @Test func `time ends it, and so does a clock that is set back`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: "right")
        let request = try keyring.askForReset(account)
        state.advance(StoredResetRequest.seconds - 1)
        #expect(keyring.resetRequest(of: account) != nil)
        keyring.endPastResetRequests()
        #expect(keyring.resetRequest(of: account) != nil)
        state.advance(1)
        #expect(keyring.resetRequest(of: account) == nil)
        keyring.endPastResetRequests()
        state.advance(-StoredResetRequest.seconds)
        #expect(keyring.resetRequest(of: account) == nil, "it was destroyed")
        #expect(try keyring.askForReset(account).publicKey != request.publicKey)
        state.advance(-86_401)
        #expect(keyring.resetRequest(of: account) == nil)
    }

    @Test func `an end is durable, and a changed file counts as none`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: "right")
        _ = try keyring.askForReset(account)
        let path = "resets/\(account.bytes)"
        let good = try state.read(path)
        for index in stride(from: 0, to: good.count, by: 5) {
            var bad = good
            bad[index] ^= 1
            try state.write(path, bad)
            #expect(keyring.resetRequest(of: account) == nil, "byte \(index)")
        }
        try state.write(path, good)
        #expect(keyring.resetRequest(of: account) != nil)
        try keyring.endResetRequest(account)
        #expect(try state.start().resetRequest(of: account) == nil)
    }
}
