// A managed file under a series of changes, beside an array that is changed in the same way.

import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

func checkContent(_ bytes: [UInt8]) throws(Violation) {
    var choices = Choices(bytes)
    // Seldom: a file with a gap of megabytes takes as long as a hundred others.
    let isFar = choices.byte() == 0xFA
    var pair = try Pair(ProtectionClass.allCases[choices.number(below: 4)], isFar: isFar)
    // Enough to reach every branch; without a bound a long input is only a slow one.
    for _ in 0..<64 where !choices.isEmpty { try pair.change(&choices) }
    try pair.compareStrictly()
}

private struct Pair {
    private let file: Descriptor
    private var stored: StoredFile
    private var model: [UInt8] = []
    private let isFar: Bool

    init(_ letter: ProtectionClass, isFar: Bool) throws(Violation) {
        self.isFar = isFar
        file = try makeMemoryFile()
        let backing = file
        stored = try must("a new file") {
            let stored = try StoredFile(opening: backing)
            let header = FileHeader(
                fileID: SealedImage.fileID, owner: try Identity(name: "ann@contoso.com"),
                sealing: .init(
                    protectionClass: letter, keyID: .none, isSparse: false, ephemeralKey: .zero))
            // A key of its own: revoking it must not touch another file's.
            try stored.startOver(as: header, key: .random(count: 32), sealer: KnownKeys.shared)
            return stored
        }
    }

    mutating func change(_ choices: inout Choices) throws(Violation) {
        let kind = choices.byte() % 8
        switch kind {
        case 0, 1: try write(at: place(&choices), pattern(&choices))
        case 2: try write(at: model.count, pattern(&choices))
        case 3: try truncate(to: place(&choices))
        case 4: try zero(place(&choices), 1 + choices.number(below: 20_000))
        case 5: try reserve(place(&choices), 1 + choices.number(below: 9000), choices.flag())
        case 6: try rewrap(ProtectionClass.allCases[choices.number(below: 4)])
        default: try reopen()
        }
        try expect(stored.size == Int64(model.count), "the size after change \(kind)")
    }

    /// In the first blocks; or, now and then, behind a gap that is too large to be filled.
    private func place(_ choices: inout Choices) -> Int {
        let place = choices.number(below: 40_000)
        return isFar && choices.flag() ? place + 5_000_000 : place
    }

    private func pattern(_ choices: inout Choices) -> [UInt8] {
        let (seed, count) = (Int(choices.byte()), choices.number(below: 9000))
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 * 13 + $0 / 256 + seed) }
    }

    private mutating func write(at start: Int, _ data: [UInt8]) throws(Violation) {
        try must("a write") {
            try data.withUnsafeBytesTyped { bytes throws(StoreError) in
                try stored.write(bytes, at: Int64(start), sealer: KnownKeys.shared)
            }
        }
        guard !data.isEmpty else { return }
        grow(to: start + data.count)
        model.replaceSubrange(start..<start + data.count, with: data)
    }

    private mutating func truncate(to size: Int) throws(Violation) {
        try must("a change of size") {
            try stored.truncate(to: Int64(size), sealer: KnownKeys.shared)
        }
        grow(to: size)
        model.removeLast(model.count - size)
    }

    private mutating func zero(_ start: Int, _ count: Int) throws(Violation) {
        try must("a hole") {
            try stored.zero(
                Int64(start)..<Int64(start + count), sealer: KnownKeys.shared)
        }
        for place in start..<max(start, min(start + count, model.count)) { model[place] = 0 }
    }

    private mutating func reserve(_ start: Int, _ count: Int, _ keepSize: Bool) throws(Violation) {
        try must("space") {
            try stored.reserve(
                Int64(start)..<Int64(start + count), keepSize: keepSize, sealer: KnownKeys.shared)
        }
        if !keepSize { grow(to: start + count) }
    }

    private func rewrap(_ letter: ProtectionClass) throws(Violation) {
        try must("another class") {
            try stored.rewrap(
                owner: Identity(name: "bob@contoso.com"), as: letter, asked: letter,
                sealer: KnownKeys.shared)
        }
    }

    /// As after a lock and an unlock, or a new mount.
    private mutating func reopen() throws(Violation) {
        stored.revokeKey()
        do throws(StoreError) {
            _ = try stored.bytes(in: 0..<1)
            throw StoreError.cipherFailure
        } catch {
            try expect(error == .keyUnavailable, "a read without a key: \(error)")
        }
        let backing = file
        stored = try must("opening") { try KnownKeys.shared.open(backing, .accept) }
        try expect(stored.endLooksRight, "the end mark, with no crash")
    }

    private mutating func grow(to size: Int) {
        if size > model.count { model += [UInt8](repeating: 0, count: size - model.count) }
    }

    /// From the disk alone, by the reader that forgives nothing.
    func compareStrictly() throws(Violation) {
        let backing = file
        let found = try must("reading strictly") {
            let strict = try KnownKeys.shared.open(backing, .refuse)
            return try strict.bytes(in: 0..<strict.size)
        }
        try expect(found == model, "other content than was written")
    }
}
