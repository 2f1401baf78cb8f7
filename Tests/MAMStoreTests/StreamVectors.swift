import FoundationEssentials
import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

/// An end that gives at most so many bytes per read.
private struct Piecewise: StreamEnds {
    let ends: MemoryEnds
    let byteCount: Int

    func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int {
        let piece = UnsafeMutableRawBufferPointer(
            rebasing: buffer[..<min(buffer.count, byteCount)])
        return try ends.read(into: piece, while: isWanted)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) { try ends.write(bytes, while: isWanted) }
}

/// A stream as the product writes it, and what a vector says of it.
struct StreamSample {
    var bytes: [UInt8]
    var fields: [String: String]

    /// `account`: nil for an unmanaged stream.
    init(
        _ account: SampleAccount?, size: Int, name: String = Sample.name,
        objectID: String = Sample.objectID
    ) throws {
        startCrypto()
        let plain = VectorFile.plainBytes(count: size)
        let ends = MemoryEnds(plain)
        var header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()),
            owner: try Identity(name: name, objectID: objectID), sealing: nil)
        fields = [
            "owner": name, "object-id": objectID, "file-id": "\(header.fileID.bytes)",
            "plain-size": "\(size)",
        ]
        if let account {
            header.sealing = .init(
                protectionClass: account.protectionClass, keyID: account.keyID, isSparse: false,
                ephemeralKey: .zero)
            let key = SecretBytes.random(count: 32)
            let head = try account.key.seal(header, key: key)
            _ = try StreamInput(ends).seal(head, BlockCipher(key: key))
            fields.merge(account.fields) { $1 }
            fields["class"] = account.protectionClass.letter
            fields["key-id"] = "\(account.keyID.bytes)"
        } else {
            _ = try StreamInput(ends).sendPlain(StreamHead(encoding: header))
        }
        bytes = ends.output
    }

    func changed(_ change: (inout [UInt8]) -> Void) -> StreamSample {
        var sample = self
        change(&sample.bytes)
        return sample
    }

    /// The same with a right checksum, as everybody that knows the format can make it.
    func forged(headerCount: Int, _ change: (inout [UInt8]) -> Void) -> StreamSample {
        changed { bytes in
            change(&bytes)
            var head = Array(bytes[..<headerCount])
            var span = head.mutableSpan
            var raw = span.mutableBytes
            StreamForm.finish(&raw)
            bytes.replaceSubrange(..<headerCount, with: head)
        }
    }
}

extension VectorFile {
    static let streams: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: directory)
        return (files ?? []).filter { $0.hasSuffix(".stream") }.sorted()
    }()

    init(stream name: String) throws {
        try self.init(text: String(contentsOfFile: "\(Self.directory)/\(name)", encoding: .utf8))
    }

    /// What a reader finds in the bytes, in the words of ``verdict``.
    func streamVerdict(pieces: Int = .max) throws -> String {
        let ends = MemoryEnds(bytes)
        let input = StreamInput(Piecewise(ends: ends, byteCount: pieces))
        let head: StreamHead?
        do throws(StoreError) { head = try input.readHead() } catch {
            if case .header(.newerVersion) = error { return "newer" }
            return "damaged at header"
        }
        guard let head else {
            _ = try input.passThrough()
            return ends.output == bytes ? "foreign" : "foreign, and changed"
        }
        let header = head.header
        if fields["step"] != "key" {
            let found = [
                header.owner.name, header.owner.objectID, "\(header.fileID.bytes)",
                header.sealing?.protectionClass.letter,
                header.sealing.map { "\($0.keyID.bytes)" },
            ]
            let told = ["owner", "object-id", "file-id", "class", "key-id"].map { fields[$0] }
            guard found == told else { return "another header: \(found)" }
        }
        let plain = Self.plainBytes(count: try number("plain-size"))
        guard header.isManaged else {
            _ = try input.passThrough()
            return ends.output == plain ? "unmanaged" : "other content"
        }
        let key: SecretBytes
        do throws(StoreError) { key = try VectorKeyReader(self).key(of: head) } catch {
            return "damaged at key"
        }
        do throws(StoreError) {
            _ = try input.open(head, BlockCipher(key: key))
            return ends.output == plain ? "ok" : "other content"
        } catch {
            guard case .damaged(let chunk) = error else { throw error }
            return ends.output == plain ? "damaged at blocks \(chunk)" : "other content"
        }
    }
}

private struct VectorKeyReader {
    let vector: VectorFile
    init(_ vector: VectorFile) { self.vector = vector }

    func key(of head: StreamHead) throws(StoreError) -> SecretBytes {
        let account: VectorKey
        do { account = try VectorKey(vector) } catch { throw .keyUnavailable }
        let wrapping = try account.wrappingKey(
            ephemeral: head.header.sealing?.ephemeralKey ?? .zero)
        return try head.withWrap { wrapped, associatedData throws(StoreError) in
            do throws(SealError) {
                return try KeyWrap.unwrap(
                    wrapped, under: wrapping, associatedData: associatedData)
            } catch { throw .damaged(block: 0) }
        }
    }
}

extension VectorKey {
    /// The head of a new stream.
    func seal(_ header: FileHeader, key: SecretBytes) throws -> StreamHead {
        let (written, wrapping) = try sealingKey(for: header)
        return try StreamHead(encoding: written) { associatedData, wrapped throws(SealError) in
            try KeyWrap.wrap(key, under: wrapping, associatedData: associatedData, into: wrapped)
        }
    }
}
