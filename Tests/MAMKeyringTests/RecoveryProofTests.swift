import MAMCrypto
import MAMFormat
import MAMModel
import Testing

@testable import MAMKeyring

@Suite struct RecoveryProofTests {
    private let state: TestState
    private let keyring: Keyring
    private let account: AccountID
    private let pair: Curve25519.KeyPair
    private let contoso = Bytes16(high: 7, low: 7)

    init() throws {
        state = try TestState()
        keyring = try state.start()
        account = try keyring.registerAnn()
        pair = try Curve25519.KeyPair.random()
    }

    private func record() throws -> KeyExport {
        try #require(
            try keyring.recovery.sealKeys(of: account, to: RecoveryPublicKey(pair.publicKey)))
    }

    private func proven(
        _ proof: [UInt8], _ record: KeyExport, account: AccountID? = nil, for id: Bytes16? = nil
    ) throws -> [ProtectionClass]? {
        RecoveryProof.provenClasses(
            proof, of: record, opened: try record.open(recoveryKey: pair),
            account: account ?? self.account, organization: id ?? contoso)
    }

    @Test func `it proves the classes whose keys are loaded`() throws {
        let record = try record()
        let all = try #require(keyring.recovery.proof(of: record, of: account, for: contoso))
        #expect(try proven(all, record) == ProtectionClass.allCases)
        let restarted = try state.start()
        let locked = try #require(
            restarted.recovery.proof(of: record, of: account, for: contoso))
        #expect(try proven(locked, record) == [.none])
        #expect(locked.count == 33 && all.count == 4 * 33)
    }

    @Test func `no byte of it can be changed, left out or added`() throws {
        let record = try record()
        let proof = try #require(keyring.recovery.proof(of: record, of: account, for: contoso))
        for index in proof.indices {
            var changed = proof
            changed[index] ^= 1
            #expect(try proven(changed, record) == nil)
        }
        for short in [Array(proof.dropLast()), Array(proof.dropLast(33)), [], proof + proof] {
            #expect(try proven(short, record) == nil)
        }
        // One without the other classes is what a locked account has.
        #expect(try proven(Array(proof.suffix(33)), record) == [.none])
    }

    @Test func `it is of this record, account and organisation`() throws {
        let (one, other) = (try record(), try record())
        let proof = try #require(keyring.recovery.proof(of: one, of: account, for: contoso))
        #expect(try proven(proof, other) == nil)
        #expect(try proven(proof, one, account: AccountID(.zero)) == nil)
        #expect(try proven(proof, one, for: .zero) == nil)
    }

    /// Anyone can seal keys to a public key.
    @Test func `a record of other keys has no proof`() throws {
        let stranger = try TestState().start()
        let bob = try stranger.register(Identity(name: ann), uid: 1000, passphrase: nil)
        let forged = try #require(
            try stranger.recovery.sealKeys(of: bob, to: RecoveryPublicKey(pair.publicKey)))
        #expect(keyring.recovery.proof(of: forged, of: account, for: contoso) == nil)
        let copied = try #require(
            keyring.recovery.proof(of: record(), of: account, for: contoso))
        #expect(
            RecoveryProof.provenClasses(
                copied, of: forged, opened: try forged.open(recoveryKey: pair), account: bob,
                organization: contoso) == nil)
    }
}
