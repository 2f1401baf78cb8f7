// Both copies of a keybag as a daemon finds them at its start: FORMAT.md, section 3.

import Glibc
import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import MAMSystem

func checkKeybag(_ bytes: [UInt8]) throws(Violation) {
    try checkRecord(bytes)
    var choices = Choices(bytes)
    try KeybagCopies.shared.check(&choices)
}

/// Any bytes, and the same with the checksum that they should have.
private func checkRecord(_ bytes: [UInt8]) throws(Violation) {
    for record in [bytes, withChecksum(bytes)] {
        guard let keybag = try? Keybag.decode(record.span.bytes) else { continue }
        try expect(keybag.encoded == record, "a keybag that decodes is not what it encodes to")
        try expect(!keybag.identity.isNobody && keybag.generation > 0, "a keybag of nobody")
    }
}

private func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= Keybag.byteCount else { return bytes }
    return sealed(bytes, at: bytes.count - 4)
}

/// With the checksum that stands at the end of what it covers.
func sealed(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    guard offset >= 0, bytes.count >= offset + 4 else { return bytes }
    var record = bytes
    var span = record.mutableSpan
    var raw = span.mutableBytes
    raw.store(Checksum.crc32(raw.bytes, count: offset), at: offset)
    return record
}

/// A state directory in which a real account was registered once. It got a passphrase twice.
private struct KeybagCopies {
    static let shared = prepared { try KeybagCopies() }

    private let directory: Descriptor
    private let names: [String]
    /// Without retired keys, with one set and with two; and with slots.
    private let good: [[UInt8]]
    private let deviceKey: SecretBytes

    private init() throws {
        directory = try openFile(TemporaryDirectory().path, O_RDONLY | O_DIRECTORY)
        let keyring = try Self.start(directory)
        let account = try keyring.register(
            Identity(name: "ann@contoso.com"), uid: 1000, passphrase: nil)
        let name = "keybags/\(account.bytes).keybag"
        names = [name, "\(name).copy"]
        good = try (0..<4).map { [directory] count in
            let passphrase = SecretBytes.random(count: 8)
            if count > 0 {
                try keyring.changePassphrase(account, from: nil, to: passphrase)
            }
            if count == 3 {
                _ = try keyring.addSlot(
                    .recovery(RecoveryWords.generate()), to: account, opening: passphrase)
            } else if count > 0 {
                try keyring.changePassphrase(account, from: passphrase, to: nil)
            }
            return try readSmallFile(
                at: directory.raw, name, maximumByteCount: Keybag.maximumByteCount)
        }
        let secret = try DeviceSecret.load(in: directory.raw, mayCreate: false)
        deviceKey = try good[0][16..<32].withUnsafeBytes { salt in
            try Derivation.hkdf(input: secret, salt: salt, info: "mamd keybag device v1")
        }
    }

    private static func start(_ directory: Descriptor) throws -> Keyring {
        try Keyring(
            stateDirectory: directory, cost: cheapest, clock: { 1_000_000 }, report: { _ in })
    }

    /// What the input made of the good record.
    private enum Copy {
        case usable([UInt8]), unusable([UInt8]), missing

        var bytes: [UInt8]? {
            switch self {
            case .usable(let bytes), .unusable(let bytes): bytes
            case .missing: nil
            }
        }
    }

    func check(_ choices: inout Choices) throws(Violation) {
        let copies = try [copy(&choices), copy(&choices)]
        let before = copies.map(\.bytes)
        let isNewer = before.contains { $0.map(Self.isNewer) ?? false }
        let after: [[UInt8]?]
        let accounts: [AccountID]
        (accounts, after) = try must("a start") {
            for (name, bytes) in zip(names, before) { try put(name, bytes) }
            let keyring = try Self.start(directory)
            return (keyring.accounts, names.map(read))
        }
        let usable = copies.compactMap { if case .usable(let bytes) = $0 { bytes } else { nil } }
        guard !usable.isEmpty, !isNewer else {
            try expect(accounts.isEmpty, "an account of which no copy can be used")
            return try expect(after == before, "a copy was changed that cannot be used")
        }
        let best = usable.max { Self.generation($0) < Self.generation($1) } ?? []
        // Of two with the same generation the first counts.
        let expected = usable.first { Self.generation($0) == Self.generation(best) }
        try expect(accounts.count == 1, "an account with a good copy is not there")
        try expect(after == [expected, expected], "the copies are not the newest one")
    }

    /// The good record, with other fields and sealed anew; or changed, cut, or not there.
    private func copy(_ choices: inout Choices) throws(Violation) -> Copy {
        let first = choices.byte()
        var record = good[Int(first >> 4) % good.count]
        let kind = first % 8
        if kind == 0 { return .missing }
        record.replaceSubrange(32..<40, with: choices.bytes(8))  // the generation
        for _ in 0..<choices.number(below: 4) {
            record[choices.number(below: record.count)] ^= choices.byte()
        }
        if kind < 5 { try sealD(&record) }
        if kind < 7 { record = withChecksum(record) }
        if kind == 7 { record = Array(record.prefix(choices.number(below: 1500))) }
        if kind == 6 { record += choices.bytes(choices.number(below: 3)) }
        return try isUsable(record) ? .usable(record) : .unusable(record)
    }

    private func sealD(_ record: inout [UInt8]) throws(Violation) {
        let associated = Self.associatedData(record)
        let key = SecretBytes.random(count: 32)
        record = try must("sealing a keybag") {
            var sealed = record
            try sealed.withUnsafeMutableBytes { record in
                try associated.withUnsafeBytes { associated in
                    try KeyWrap.wrap(
                        key, under: deviceKey, associatedData: associated,
                        into: .init(rebasing: record[944..<1008]))
                }
            }
            return sealed
        }
    }

    /// Of class D's key.
    private static func associatedData(_ record: [UInt8]) -> [UInt8] {
        record[..<752] + record[1020..<record.count - 4] + [4]
    }

    /// By the product's decoder, whose answers are checked for themselves, and by the seal.
    private func isUsable(_ record: [UInt8]) throws(Violation) -> Bool {
        guard let keybag = try? Keybag.decode(record.span.bytes),
            "keybags/\(keybag.accountID.bytes).keybag" == names[0]
        else { return false }
        let associated = Self.associatedData(record)
        return record.withUnsafeBytes { record in
            associated.withUnsafeBytes { associated in
                let opened = try? KeyWrap.unwrap(
                    .init(rebasing: record[944..<1008]), under: deviceKey,
                    associatedData: associated)
                return opened != nil
            }
        }
    }

    private static func isNewer(_ record: [UInt8]) -> Bool {
        do throws(KeybagError) {
            _ = try Keybag.decode(record.span.bytes)
            return false
        } catch {
            if case .newerVersion = error { return true }
            return false
        }
    }

    private static func generation(_ record: [UInt8]) -> UInt64 {
        record.span.bytes.integer(UInt64.self, at: 32)
    }

    private func put(_ name: String, _ bytes: [UInt8]?) throws(Errno) {
        unlinkat(directory.raw, name, 0)
        guard let bytes else { return }
        let file = try openFile(at: directory.raw, name, O_WRONLY | O_CREAT, mode: 0o600)
        try bytes.withUnsafeBytesTyped { bytes throws(Errno) in
            try writeFully(file.raw, from: bytes, at: 0)
        }
    }

    private func read(_ name: String) -> [UInt8]? {
        try? readSmallFile(at: directory.raw, name, maximumByteCount: 4096)
    }
}
