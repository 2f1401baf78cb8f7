import MAMCrypto
import MAMModel
import Testing

@testable import MAMKeyring

/// What a newer mamd wrote is neither damage nor ours to change.
@Suite struct NewerRecordTests {
    /// What is wrong with it besides makes no difference.
    private func versions(of good: [UInt8], known: UInt8) -> [[UInt8]] {
        var newer = good
        newer[8] = known + 1
        var far = good
        far[9] = 1
        return [newer, far, newer + [0], Array(newer[..<10])]
    }

    @Test func `wrong passphrases: none is tried, and the record stays`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn()
        #expect(throws: KeyringError.self) { try state.start().unlock(account, "wrong") }
        let name = "attempts/\(account.bytes)"
        let good = try state.read(name)
        state.advance(3600)
        for bytes in versions(of: good, known: 1) {
            try state.write(name, bytes)
            state.forgetFindings()
            let keyring = try state.start()
            let record = NewerRecord(fileName: name, version: Int(bytes[8]) + Int(bytes[9]) << 8)
            #expect(state.findings == [.attemptsNewer(record)])
            for text in ["right", "wrong"] {
                #expect(throws: KeyringError.attemptsNewer(record)) {
                    try keyring.unlock(account, text)
                }
            }
            #expect(try state.read(name) == bytes)
        }
        try state.write(name, good)
        try state.start().unlock(account, "right")
    }

    @Test func `a decided wipe: nothing is used, nothing destroyed, and nobody told to delete it`()
        throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let keybags = try copies(of: account).map { try state.read($0) }
        _ = try keyring.wipes.decide(of: account)
        let name = "wipes/\(account.bytes)"
        for bytes in try versions(of: state.read(name), known: 3) {
            try state.write(name, bytes)
            state.forgetFindings()
            let keyring = try state.start()
            #expect(keyring.accounts.isEmpty && keyring.wipes.isEmpty)
            #expect(state.findings.count == 1)
            #expect(try keyring.checkKeybags(repair: true) == state.findings)
            let text = try #require(state.findings.first).description
            #expect(text.contains("a newer mamd wrote \(name)") && !text.contains("delete"))
            #expect(try state.read(name) == bytes)
        }
        #expect(try copies(of: account).map { try state.read($0) } == keybags)
    }

    @Test func `exports and recovery keys`() {
        for bytes in versions(of: KeyExportVector.underPassphrase, known: 3) {
            let found = #expect(throws: KeyExportError.self) { try KeyExport.decode(bytes) }
            #expect(found?.description.contains("install a newer mamd") == true)
        }
        for bytes in versions(of: KeyExportVector.plainKeyFile, known: 1) {
            let found = #expect(throws: RecoveryKeyFile.Failure.self) {
                try RecoveryKeyFile.open(secret(bytes), passphrase: nil)
            }
            #expect(found?.description.contains("newer") == true)
        }
    }
}
