import CChip
import MAMCrypto
import MAMFormat
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

@testable import MAMKeyring

@Suite struct ChipSlotTests {
    @Test(arguments: ["2468", nil])
    func `a chip's slot opens the account by its PIN, or without`(_ pin: String?) throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        let slot = try add(pin, to: ann, keyring)
        let again = try state.start(chip: fake.chip)
        again.dropAllKeys()
        #expect(try again.testSlot(slot.id, of: ann, secret: pin.map { passphrase($0) }) == slot)
        try again.unlock(ann, "right")
        #expect(again.slots(of: ann).map(\.kind) == [.passphrase, .tpm])
    }

    @Test func `the chip gets a PIN only with its slot`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        _ = try add("2468", to: ann, keyring)
        let before = fake.asked
        for text in ["right", "2468", "wrong"] {
            _ = try? keyring.testSlot(of: ann, secret: passphrase(text))
            state.advance(60)
        }
        #expect(fake.asked == before)
        #expect(keyring.failureCount(ann) == 2)
    }

    @Test func `a wrong PIN counts here, too, and waits`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        let slot = try add("2468", to: ann, keyring)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.testSlot(slot.id, of: ann, secret: passphrase("1357"))
        }
        let before = fake.asked
        #expect(throws: KeyringError.retryLater(seconds: 1)) {
            try keyring.testSlot(slot.id, of: ann, secret: passphrase("2468"))
        }
        #expect(fake.asked == before)
        state.advance(2)
        _ = try keyring.testSlot(slot.id, of: ann, secret: passphrase("2468"))
        #expect(keyring.failureCount(ann) == 0)
    }

    @Test func `a slot without a PIN ends no count of wrong passphrases`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        let slot = try add(nil, to: ann, keyring)
        _ = try? keyring.testSlot(of: ann, secret: passphrase("wrong"))
        _ = try keyring.testSlot(slot.id, of: ann, secret: nil)
        #expect(keyring.failureCount(ann) == 1)
        for (pin, id) in [("2468", slot.id), (nil, keyring.slots(of: ann)[0].id)] {
            #expect(throws: KeyringError.self) {
                try keyring.testSlot(id, of: ann, secret: pin.map { passphrase($0) })
            }
        }
    }

    @Test(
        arguments: [
            MAM_CHIP_NO_LIBRARY, MAM_CHIP_NONE, MAM_CHIP_NOT_PERMITTED, MAM_CHIP_OTHER,
            MAM_CHIP_DAMAGED, MAM_CHIP_LOCKED_OUT, MAM_CHIP_PCRS_CHANGED, MAM_CHIP_OWNED,
            MAM_CHIP_FAILED, MAM_CHIP_NO_PCRS,
        ].map(\.rawValue))
    func `what the chip refuses counts as no wrong PIN`(_ end: UInt32) throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        let slot = try add("2468", to: ann, keyring)
        fake.end = mam_chip_end(end)
        let error = #expect(throws: KeyringError.self) {
            try keyring.testSlot(slot.id, of: ann, secret: passphrase("2468"))
        }
        guard case .refused? = error else { throw Errno.invalid }
        #expect(keyring.failureCount(ann) == 0)
    }

    @Test func `changes by a passphrase need no chip`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        let slot = try add("2468", to: ann, keyring)
        let before = fake.asked
        try keyring.changePassphrase(ann, from: passphrase("right"), to: passphrase("new"))
        #expect(fake.asked == before)
        _ = try keyring.testSlot(slot.id, of: ann, secret: passphrase("2468"))
        try keyring.removeSlot(slot.id, of: ann, opening: passphrase("new"))
        #expect(try state.read(copies(of: ann)[0])[8] == 4)
    }

    @Test func `a chip alone is not left`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        _ = try add(nil, to: ann, keyring)
        let first = keyring.slots(of: ann)[0]
        #expect(throws: KeyringError.self) {
            try keyring.removeSlot(first.id, of: ann, opening: passphrase("right"))
        }
    }

    /// Offsets from docs/FORMAT.md, section 3.3.
    @Test func `fields stand where the format says, and other values are refused`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        _ = try add("2468", to: ann, keyring, pcrs: 128)
        let bytes = try state.read(copies(of: ann)[0])
        #expect(bytes.count == 1024 + 2 * 192 + 1024)
        #expect(bytes[8] == 5 && bytes[1009] == 2 && bytes[1020 + 192] == 3)
        let record = 1020 + 2 * 192
        let data = 4 + 34 + 2 + 3 + 2 + 5
        #expect(Array(bytes[record..<record + 6]) == [UInt8(data), 0, 128, 0, 0, 0])
        #expect(Array(bytes[record + 6..<record + 40]) == FakeChip.name)
        #expect(Array(bytes[record + 40..<record + 45]) == [3, 0, 1, 2, 3])
        #expect(Array(bytes[record + 45..<record + 52]) == [5, 0, 5, 6, 7, 8, 9])
        #expect(try Keybag.decode(bytes.span.bytes).encoded == bytes)
        let rest = record + 2 + data..<record + 1024
        #expect(bytes[rest].allSatisfy { $0 == 0 })
        let changed: [(Int, UInt8)] =
            [
                (8, 4), (1020 + 192, 2), (1020 + 192, 4), (record, 1), (record + 5, 1),
                (record + 40, 0), (record + 41, 2), (record + 45, 0),
            ] + rest.map { ($0, 1) }
        for (offset, value) in changed {
            var record = bytes
            record[offset] = value
            sign(&record)
            #expect(throws: KeybagError.self, "\(offset)") {
                try Keybag.decode(record.span.bytes)
            }
        }
    }

    @Test func `whatever is decoded from random changes encodes to itself`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        _ = try add(nil, to: ann, keyring)
        let bytes = try state.read(copies(of: ann)[0])
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count - 4, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            sign(&changed)
            if let keybag = try? Keybag.decode(changed.span.bytes) {
                #expect(keybag.encoded == changed)
            }
        }
    }

    @Test func `what the chip has sealed cannot be exchanged`() throws {
        let (state, fake) = (try TestState(), FakeChip())
        let (keyring, ann) = try registered(state, fake)
        _ = try add("2468", to: ann, keyring)
        for name in copies(of: ann) {
            var bytes = try state.read(name)
            bytes[1020 + 2 * 192 + 6] ^= 1
            sign(&bytes)
            try state.write(name, bytes)
        }
        #expect(try state.start(chip: fake.chip).accounts.isEmpty)
    }

    private func registered(
        _ state: TestState, _ fake: FakeChip
    ) throws -> (Keyring, AccountID) {
        let keyring = try state.start(chip: fake.chip)
        return (keyring, try keyring.registerAnn())
    }

    private func add(
        _ pin: String?, to account: AccountID, _ keyring: Keyring, pcrs: UInt32 = 0
    ) throws -> KeySlot {
        try keyring.addSlot(
            .tpm(pin: pin.map { passphrase($0) }, pcrs: pcrs), to: account,
            opening: passphrase("right"))
    }
}

/// Keeps the last secret, and opens it by its PIN.
private final class FakeChip: Sendable {
    static let name = (0..<34).map { UInt8($0 + 1) }

    fileprivate struct Held {
        var count = 0
        var end = MAM_CHIP_DONE.rawValue
        var pin: [UInt8] = []
        var secret: [UInt8] = []
    }

    private let held = Mutex(Held())

    var asked: Int { held.withLock { $0.count } }

    var end: mam_chip_end {
        get { mam_chip_end(held.withLock { $0.end }) }
        set { held.withLock { $0.end = newValue.rawValue } }
    }

    var chip: Chip {
        Chip { [self] request, reply throws(Errno) in
            let request = request.withBytes { $0.loadUnaligned(as: mam_chip_request.self) }
            let answer = held.withLock { $0.answer(to: request) }
            reply.withMutableBytes { $0.storeBytes(of: answer, as: mam_chip_reply.self) }
        }
    }
}

extension FakeChip.Held {
    mutating func answer(to request: mam_chip_request) -> mam_chip_reply {
        count += 1
        var reply = mam_chip_reply()
        let pin = request.has_pin == 0 ? [] : withUnsafeBytes(of: request.pin) { Array($0) }
        reply.end = end
        if request.act == MAM_CHIP_SEAL.rawValue {
            (self.pin, secret) = (pin, withUnsafeBytes(of: request.secret) { Array($0) })
            reply.sealed.pcrs = request.sealed.pcrs
            (reply.sealed.public_count, reply.sealed.private_count) = (3, 5)
            withUnsafeMutableBytes(of: &reply.sealed.parent) { $0.copyBytes(from: FakeChip.name) }
            withUnsafeMutableBytes(of: &reply.sealed.public_part) { $0.copyBytes(from: [1, 2, 3]) }
            withUnsafeMutableBytes(of: &reply.sealed.private_part) {
                $0.copyBytes(from: [5, 6, 7, 8, 9])
            }
        } else if pin != self.pin {
            reply.end = MAM_CHIP_WRONG_PIN.rawValue
        } else {
            withUnsafeMutableBytes(of: &reply.secret) { $0.copyBytes(from: secret) }
        }
        return reply
    }
}
