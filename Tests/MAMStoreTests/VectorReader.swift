// Reads a vector's file with the product.

import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import TestSupport
import Testing

/// Reads one vector's file strictly, and notes whatever is not as the vector says.
final class VectorReader {
    private let vector: VectorFile
    private let place: TemporaryFile
    private var path: String { place.path }
    private(set) var differences: [String] = []

    init(_ vector: VectorFile) throws {
        startCrypto()
        self.vector = vector
        place = try TemporaryFile()
        let file = place.descriptor
        try vector.bytes.withUnsafeBytesTyped { buffer throws(Errno) in
            try writeFully(file.raw, from: buffer, at: 0)
        }
        try setSize(file.raw, physicalSize)
    }

    private var physicalSize: Int64 {
        get throws { Int64(vector.bytes.count + (try vector.number("hole"))) }
    }

    /// The outcome in the words of ``VectorFile/verdict``.
    func verdict() throws -> String {
        let facts = try FileFacts(of: openFile(path, O_RDONLY), physicalSize: physicalSize)
        switch facts {
        case .empty, .unwritten:
            try expect(open().size == 0, "size")
            return "empty"
        case .foreign:
            try expect(open().contents() == vector.bytes, "content")
            return "foreign"
        case .damaged(let known):
            let error = #expect(throws: StoreError.self) { try self.open() }
            expect(error == .header(known), "facts and store disagree")
            if case .newerVersion = known { return "newer" }
            return "damaged at header"
        case .protected(let header):
            checkIdentity(header)
            return try header.isManaged ? managedVerdict() : unmanagedVerdict()
        }
    }

    private func unmanagedVerdict() throws -> String {
        let plain = try vector.plainBytes()
        try expect(open().contents() == plain, "content")
        return "unmanaged"
    }

    private func managedVerdict() throws -> String {
        let file: StoredFile
        do throws(StoreError) { file = try open() } catch {
            guard case .impossibleSize = error else { throw error }
            return "damaged at size"
        }
        let key = try VectorKey(vector)
        do throws(StoreError) { try file.provideKey(key.unwrap) } catch {
            return "damaged at key"
        }
        let plain = try vector.plainBytes()
        guard file.size == plain.count else { return "a file of \(file.size) plain bytes" }
        let failures = try blockFailures(file, plain)
        guard let first = failures.first else {
            try expect(file.contents() == plain, "content")
            return "ok"
        }
        let error = #expect(throws: StoreError.self) { try file.contents() }
        expect(error == first, "the whole file fails with \(String(describing: error))")
        try checkTolerantly(failures, key, plain)
        let list = failures.map { "\(block($0) ?? -1)=\(word($0))" }.joined(separator: " ")
        return "\(word(first)) at blocks \(list)"
    }

    /// Every block read for itself: the damage of one is not that of another.
    private func blockFailures(_ file: StoredFile, _ plain: [UInt8]) throws -> [StoreError] {
        var failures: [StoreError] = []
        for block in 0..<blockCount {
            let range = plainRange(of: block, size: file.size)
            do throws(StoreError) {
                let found = try file.bytes(in: range)
                expect(found[...] == plain[range.asInt], "content of block \(block)")
            } catch {
                expect(self.block(error) == block, "block \(block) fails with \(error)")
                failures.append(error)
            }
        }
        return failures
    }

    /// What a mount shows: authentic blocks, whatever their end marks say.
    private func checkTolerantly(
        _ failures: [StoreError], _ key: VectorKey, _ plain: [UInt8]
    ) throws {
        let file = try open(.accept)
        try file.provideKey(key.unwrap)
        for failure in failures {
            guard let block = block(failure) else { continue }
            let range = plainRange(of: block, size: file.size)
            if case .wrongEnd = failure {
                try expect(file.bytes(in: range)[...] == plain[range.asInt], "shown \(block)")
            } else {
                #expect(throws: failure) { try file.bytes(in: range) }
            }
        }
    }

    private func checkIdentity(_ header: FileHeader) {
        // The fields of a header whose key wrap must refuse it are the damage itself.
        if let step = vector.fields["step"], step == "key" { return }
        let found: [String: String?] = [
            "owner": header.owner.name, "object-id": header.owner.objectID,
            "file-id": "\(header.fileID.bytes)",
            "class": header.sealing?.protectionClass.letter,
            "key-id": header.sealing.map { "\($0.keyID.bytes)" },
            "sparse": header.sealing?.isSparse == true ? "yes" : nil,
        ]
        for (key, value) in found { expect(value == vector.fields[key], key) }
    }

    @discardableResult
    private func open(_ rule: EndMarkRule = .refuse) throws(StoreError) -> StoredFile {
        let descriptor = try systemCall { () throws(Errno) in try openFile(path, O_RDONLY) }
        return try StoredFile(opening: descriptor, endMarkRule: rule)
    }

    private func systemCall<Value>(
        _ call: () throws(Errno) -> Value
    ) throws(StoreError) -> Value {
        do throws(Errno) { return try call() } catch { throw .system(error) }
    }

    private var blockCount: Int64 { Int64(vector.bytes.count / 4096) }

    /// The last block's end where nothing of it is used is not asked for along with the block
    /// before it.
    private func plainRange(of block: Int64, size: Int64) -> Range<Int64> {
        let start = Layout.plainOffset(ofBlock: block)
        let isLast = block == blockCount - 1
        return start..<min(Layout.plainOffset(ofBlock: block + 1), isLast ? size : size - 1)
    }

    private func word(_ error: StoreError) -> String {
        switch error {
        case .damaged: "damaged"
        case .wrongEnd: "wrong-end"
        default: "\(error)"
        }
    }

    private func block(_ error: StoreError) -> Int64? {
        switch error {
        case .damaged(let block), .wrongEnd(let block): block
        default: nil
        }
    }

    private func expect(_ isRight: Bool, _ what: String) {
        if !isRight { differences.append(what) }
    }
}

extension Range<Int64> {
    fileprivate var asInt: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
