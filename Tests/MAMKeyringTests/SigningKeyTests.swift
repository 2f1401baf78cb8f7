import MAMCrypto
import MAMFormat
import MAMModel
import Testing

@testable import MAMKeyring

@Suite struct SigningKeyTests {
    private static let text = "correct horse battery"

    private func made(_ text: String?) throws -> (SigningPublicKey, SecretBytes) {
        try SigningKeyFile.make(
            passphrase: text.map { passphrase($0) }, cost: #require(cheap))
    }

    private var cheap: KeyDerivationCost? {
        KeyDerivationCost(passes: 1, memoryByteCount: 8 << 20)
    }

    @Test(arguments: [nil, text]) func `a key opens and signs`(_ text: String?) throws {
        let (publicKey, file) = try made(text)
        #expect(try SigningKeyFile.publicKey(of: file) == publicKey)
        #expect(SigningPublicKey(text: publicKey.text) == publicKey)
        let seed = try SigningKeyFile.open(file, passphrase: text.map { passphrase($0) })
        let signature = try #require(Ed25519.sign([1, 2, 3], seed: seed))
        #expect(Ed25519.isSigned([1, 2, 3], with: signature, by: publicKey.bytes))
        #expect(file.withBytes { SigningKeyFile.isSealed(Array($0.prefix(16))) } == (text != nil))
    }

    @Test func `a wrong passphrase, none and one too many do not open`() throws {
        let (_, sealed) = try made(Self.text)
        #expect(throws: SigningKeyFile.Failure.wrongPassphrase) {
            try SigningKeyFile.open(sealed, passphrase: passphrase("another"))
        }
        #expect(throws: SigningKeyFile.Failure.passphraseRequired) {
            try SigningKeyFile.open(sealed, passphrase: nil)
        }
        let (_, plain) = try made(nil)
        #expect(throws: SigningKeyFile.Failure.passphraseNotUsed) {
            try SigningKeyFile.open(plain, passphrase: passphrase("one"))
        }
    }

    @Test func `neither kind of key passes for the other, not with the other's magic`() throws {
        let (_, file) = try made(Self.text)
        #expect(throws: RecoveryKeyFile.Failure.notAKey) {
            try RecoveryKeyFile.open(file, passphrase: passphrase(Self.text))
        }
        #expect(throws: SigningKeyFile.Failure.notAKey) {
            try SigningKeyFile.open(secret(KeyExportVector.plainKeyFile), passphrase: nil)
        }
        var bytes = file.withBytes { Array($0) }
        bytes.replaceSubrange(..<8, with: RecoveryKey.magic)
        #expect(throws: RecoveryKeyFile.Failure.wrongPassphrase) {
            try RecoveryKeyFile.open(
                secret(summed(bytes)), passphrase: passphrase(Self.text))
        }
    }

    @Test func `no changed byte of a sealed key opens`() throws {
        let (_, file) = try made(Self.text)
        let good = file.withBytes { Array($0) }
        for offset in good.indices where !(12..<24).contains(offset) {
            var bad = good
            bad[offset] ^= 0x20
            for bytes in [bad, offset < 156 ? summed(bad) : bad] {
                #expect(throws: SigningKeyFile.Failure.self, "\(offset)") {
                    try SigningKeyFile.open(secret(bytes), passphrase: passphrase(Self.text))
                }
            }
        }
    }

    private func summed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(Checksum.crc32(raw.bytes, count: 156), at: 156)
        return bytes
    }
}
