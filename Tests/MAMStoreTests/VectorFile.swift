// A test vector's file: `key: value` lines, `---`, the physical bytes in base64.

import FoundationEssentials
import MAMFormat

/// One file of Tests/Vectors. Its README.md says what the keys mean.
struct VectorFile {
    var fields: [String: String]
    /// What is on disk before the hole of `hole` bytes.
    var bytes: [UInt8]

    /// Every key that there is, in the order in which they are written.
    static let keys = [
        "comment", "expect", "step", "blocks", "hole", "plain-size", "zeros", "class", "sparse",
        "owner", "object-id", "file-id", "key-id", "class-key", "class-private", "class-public",
    ]
    private static let separator = "---"
    private static let lineByteCount = 57

    enum Malformed: Error {
        case line(String)
        case body
        case field(String)
    }

    init(fields: [String: String], bytes: [UInt8]) {
        self.fields = fields
        self.bytes = bytes
    }

    init(text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: Self.separator[...]) else { throw Malformed.body }
        fields = [:]
        for line in lines[..<end] {
            let parts = line.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Self.keys.contains(String(parts[0])),
                fields.updateValue(String(parts[1].dropFirst()), forKey: String(parts[0])) == nil
            else { throw Malformed.line(String(line)) }
        }
        guard let data = Data(base64Encoded: lines[(end + 1)...].joined()) else {
            throw Malformed.body
        }
        bytes = Array(data)
    }

    var text: String {
        var lines = Self.keys.compactMap { key in
            fields[key].map { $0.isEmpty ? "\(key):" : "\(key): \($0)" }
        }
        lines.append(Self.separator)
        for start in stride(from: 0, to: bytes.count, by: Self.lineByteCount) {
            let end = min(start + Self.lineByteCount, bytes.count)
            lines.append(Data(bytes[start..<end]).base64EncodedString())
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension VectorFile {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Vectors").path

    /// The vectors that are there, without their extension.
    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: directory)
        return (files ?? []).filter { $0.hasSuffix(".vector") }.map { String($0.dropLast(7)) }
            .sorted()
    }()

    static func path(of name: String) -> String { "\(directory)/\(name).vector" }

    static func isStored(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(of: name))
    }

    init(named name: String) throws {
        try self.init(text: String(contentsOfFile: Self.path(of: name), encoding: .utf8))
    }
}

extension VectorFile {
    func number(_ key: String) throws -> Int {
        guard let number = Int(fields[key] ?? "0") else { throw Malformed.field(key) }
        return number
    }

    func bytes(_ key: String) throws -> [UInt8] {
        let digits = Array((fields[key] ?? "").utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        guard bytes.count * 2 == digits.count, !bytes.isEmpty else { throw Malformed.field(key) }
        return bytes
    }

    /// What a strict reader must find: the outcome, where, and which blocks.
    var verdict: String {
        [fields["expect"], fields["step"].map { "at \($0)" }, fields["blocks"]]
            .compactMap(\.self).joined(separator: " ")
    }

    /// The plain bytes, by the formula.
    func plainBytes() throws -> [UInt8] {
        var plain = Self.plainBytes(count: try number("plain-size"))
        for range in (fields["zeros"] ?? "").split(separator: " ") {
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard ends.count == 2, ends[0] < ends[1], ends[1] <= plain.count else {
                throw Malformed.field("zeros")
            }
            for index in ends[0]..<ends[1] { plain[index] = 0 }
        }
        return plain
    }

    static func plainBytes(count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 251) }
    }
}
