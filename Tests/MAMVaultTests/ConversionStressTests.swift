import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMVault
import MAMWorkspace
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

/// Repeatable pseudo-random numbers (SplitMix64), so that a failure can be run again.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// One thread converts a file, another one changes it, and a model in memory tells what is in it.
/// MAMD_LONG=1 runs it for minutes.
@Suite(.serialized)
struct ConversionStressTests {
    private static let isLong = getenv("MAMD_LONG").map { String(cString: $0) } == "1"

    @Test
    func `whatever is changed, refused or locked meanwhile, the content is the model's`() throws {
        let test = try TestVault()
        for seed in 0..<UInt64(Self.isLong ? 3000 : 25) {
            do { try Round(test, seed).run() } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    private final class Round {
        private let test: TestVault
        private let seed: UInt64
        private var numbers: SeededNumbers
        private let file: VaultFile
        private let isFaulty: Bool
        private var model: [UInt8] = []

        init(_ test: TestVault, _ seed: UInt64) throws {
            (self.test, self.seed) = (test, seed)
            numbers = SeededNumbers(state: seed)
            file = try Files(test.vault).file(test.descriptor("old"))
            isFaulty = seed % 3 == 1
            switch seed % 4 {
            case 0: break  // foreign
            case 1:
                try Files(test.vault).begin(
                    file, as: try Identity(name: "me@example.org"), asking: nil)
            default: try Files(test.vault).begin(file, as: try TestVault.annIdentity(), asking: nil)
            }
        }

        /// At the edges of blocks and of what is copied at once, most of the time.
        private func place(upTo limit: Int) -> Int {
            let edges = [0, 1, 3039, 3040, 3041, 4064, 4096, 7104, 262_144, 1 << 20]
            let edge = edges.randomElement(using: &numbers) ?? 0
            let near =
                Bool.random(using: &numbers)
                ? edge : 3040 + 4064 * Int.random(in: 0...80, using: &numbers)
            return Int.random(in: 0...3, using: &numbers) == 0
                ? Int.random(in: 0...limit, using: &numbers)
                : max(0, min(limit, near + Int.random(in: -1...1, using: &numbers)))
        }

        func run() throws {
            for _ in 0..<3 { try change() }
            let target = try test.descriptor("new")
            // Even ones keep or leave the account; odd ones come to it.
            let owner = try Identity(
                name: seed % 4 == 2 ? "me@example.org" : "ann@contoso.com")
            let conversion = try Conversion(
                of: file, for: owner, asking: nil, into: target, in: test.vault)
            let isConverted = try whileConverting(conversion) {
                for _ in 0..<Int.random(in: 5...40, using: &self.numbers) { try self.step() }
            }
            conversion.end()
            for _ in 0..<3 { try change() }
            try checkWhole(isConverted ? "new" : "old")
            for name in ["old", "new"] { unlink("\(test.path)/\(name)") }
        }

        /// True if the file is the copy at the end.
        private func whileConverting(
            _ conversion: Conversion, _ body: () throws -> Void
        ) throws -> Bool {
            let fault = isFaulty ? Int.random(in: 1...60, using: &numbers) : nil
            let work = Work(conversion, fault, test.path)
            let ended = Semaphore()
            try startThread(named: "convert") {
                work.run()
                ended.signal()
            }
            let result = Result { try body() }
            ended.wait()
            try result.get()
            return work.isDone.load(ordering: .acquiring)
        }

        private func step() throws {
            switch Int.random(in: 0..<40, using: &numbers) {
            case 0 where seed % 5 == 0:
                Lock(test.tree).lock(test.ann, now: true)
                try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
            case 0...3: try? file.synchronize(dataOnly: Bool.random(using: &numbers))
            case 4...9: try checkPart()
            default:
                if isFaulty, Int.random(in: 0..<8, using: &numbers) == 0 {
                    let error: Errno = Bool.random(using: &numbers) ? .noSpace : .ioError
                    Faults.arm(
                        .any, nth: Int.random(in: 1...6, using: &numbers), times: 1, error: error)
                }
                defer { Faults.disarm() }
                try change()
            }
        }

        // MARK: Changes

        private func change() throws {
            let size = model.count
            let start = place(upTo: min(size + 9000, 3 << 19))
            let limit = [100, 9000, 300_000].randomElement(using: &numbers) ?? 1
            let count = max(1, place(upTo: limit))
            switch Int.random(in: 0..<9, using: &numbers) {
            case 0:
                let new = place(upTo: 3 << 19)
                try changing(from: min(size, new), to: .max) {
                    try file.truncate(to: Int64(new))
                } then: {
                    $0.resize(to: new)
                }
            case 1:
                try changing(from: start, to: start + count) {
                    try file.zero(Int64(start)..<Int64(start + count))
                } then: { model in
                    let end = max(start, min(start + count, size))
                    guard start < end else { return }
                    model.replaceSubrange(start..<end, with: [UInt8].filled(0, end - start))
                }
            case 2:
                let keepSize = Bool.random(using: &numbers)
                try changing(from: size, to: .max) {
                    try file.reserve(Int64(start)..<Int64(start + count), keepSize: keepSize)
                } then: {
                    if !keepSize { $0.resize(to: max(size, start + count)) }
                }
            default:
                let bytes = [UInt8].filled(UInt8.random(in: 1...255, using: &numbers), count)
                try changing(from: start, to: start + count) {
                    try bytes.withUnsafeBytes { try file.write($0, at: Int64(start)) }
                } then: { model in
                    model.resize(to: max(size, start + count))
                    model.replaceSubrange(start..<start + count, with: bytes)
                }
            }
        }

        /// What fails may have happened in part, within its range and behind the old end.
        private func changing(
            from start: Int, to end: Int, _ body: () throws -> Void,
            then note: (inout [UInt8]) -> Void
        ) throws {
            do {
                try body()
                note(&model)
            } catch {
                #expect(isFaulty, "seed \(seed): \(error)")
                Faults.disarm()
                let found = try content()
                let kept = min(start, model.count)
                #expect(isSame(found.prefix(kept), model.prefix(kept)), "seed \(seed)")
                if end < model.count {
                    #expect(found.count >= model.count, "seed \(seed)")
                    let behind = found.dropFirst(end).prefix(model.count - end)
                    #expect(isSame(behind, model.dropFirst(end)), "seed \(seed)")
                }
                model = found
            }
        }

        // MARK: Checks

        private func content() throws -> [UInt8] {
            var bytes = [UInt8].filled(0xEE, Int(file.size))
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
            #expect(count == bytes.count, "seed \(seed)")
            return bytes
        }

        private func checkPart() throws {
            let start = place(upTo: model.count)
            let count = min(model.count - start, 20_000)
            var bytes = [UInt8].filled(0xEE, count)
            _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: Int64(start)) }
            #expect(isSame(bytes[...], model[start..<start + count]), "seed \(seed) at \(start)")
        }

        /// Through the file, and by what the disk has under the name.
        private func checkWhole(_ name: String) throws {
            #expect(isSame(try content()[...], model[...]), "seed \(seed)")
            try file.finish()
            try? file.synchronize(dataOnly: false)
            let again = try Files(test.vault).file(test.descriptor(name), endMarkRule: .refuse)
            try Files(test.vault).admit(again)
            var bytes = [UInt8].filled(0xEE, model.count + 1)
            let count = try bytes.withUnsafeMutableBytes { try again.read(into: $0, at: 0) }
            #expect(isSame(bytes[..<count], model[...]), "seed \(seed): \(name)")
        }
    }

    /// What the converting thread has.
    private final class Work: @unchecked Sendable {
        let conversion: Conversion
        let fault: Int?
        let path: String
        let isDone = Atomic<Bool>(false)

        init(_ conversion: Conversion, _ fault: Int?, _ path: String) {
            (self.conversion, self.fault, self.path) = (conversion, fault, path)
        }

        func run() {
            if let fault { Faults.arm(.any, nth: fault, times: 1, error: .noSpace) }
            defer { Faults.disarm() }
            for _ in 0..<10 {
                do {
                    try conversion.copy()
                    let isDone = try conversion.finish(holding: ReadWriteLock()) {
                        _ throws(VaultError) in
                        try systemCall { () throws(Errno) in
                            try Faults.check(.rename)
                            return try openFile(path, O_RDONLY | O_DIRECTORY)
                        }
                    }
                    guard isDone else { continue }
                    self.isDone.store(true, ordering: .releasing)
                    try conversion.synchronizePlace()
                    return
                } catch { return }
            }
        }
    }
}

private func isSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    let count = one.count
    return one.withUnsafeBytes { one in
        other.withUnsafeBytes { other in
            guard let one = one.baseAddress, let other = other.baseAddress else { return true }
            return memcmp(one, other, count) == 0
        }
    }
}

extension [UInt8] {
    fileprivate mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) }
        self += .filled(0, size - count)
    }

    /// At once, also in a debug build.
    fileprivate static func filled(_ byte: UInt8, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if let base = buffer.baseAddress { memset(base, Int32(byte), count) }
            filled = count
        }
    }
}
