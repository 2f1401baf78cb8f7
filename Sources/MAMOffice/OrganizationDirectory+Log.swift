// `log.jsonl` of the organisation's directory. Lines are only appended, each with the digest of
// the one before (docs/adr/0099-what-opens-needs-two.md).

internal import Glibc
internal import MAMCrypto
internal import MAMFleet
internal import MAMModel
internal import MAMSystem

extension OrganizationDirectory {
    package static let log = "log.jsonl"
    private static let longestLogByteCount = 1 << 30
    private static let longestLineByteCount = 1 << 20
    private static let lockMilliseconds = 2000

    /// Adds lines, durably on return. After a crash in the middle of one the next begins anew.
    package func log(_ entries: [LogEntry]) throws(Failure) {
        guard !entries.isEmpty else { return }
        do throws(Errno) {
            let file = try openFile(
                whole(Self.log).cString, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY, mode: 0o644)
            try withExtendedLifetime(file) { () throws(Errno) in
                // A writer holds it for a moment; a reader may hold it for ever. Without locks a
                // line counts more than its place.
                let isLocked = try? takesLock(file, within: Self.lockMilliseconds)
                guard isLocked ?? true else { throw .busy }
                try append(entries, to: file)
            }
        } catch { throw Failure(path: whole(Self.log), reason: .system(error)) }
    }

    private func append(_ entries: [LogEntry], to file: Descriptor) throws(Errno) {
        let last = try lastLine(of: file)
        var text: [UInt8] = last?.isWhole == false ? [UInt8(ascii: "\n")] : []
        var before = last.map { Self.digest(ofLine: $0.bytes) }
        for entry in entries {
            let line = entry.line(after: before)
            text += line + [UInt8(ascii: "\n")]
            before = Self.digest(ofLine: line)
        }
        try writeAll(text, to: file.raw)
        try synchronize(file.raw)
        guard last == nil else { return }
        let directory = try openFile(path.cString, O_RDONLY | O_DIRECTORY)
        try synchronize(directory.raw)
    }

    /// Nil of an empty file.
    private func lastLine(
        of file: Descriptor
    ) throws(Errno) -> (bytes: [UInt8], isWhole: Bool)? {
        let size = Int(try status(of: file.raw).st_size)
        var room = 4096
        while size > 0 {
            let start = max(0, size - room)
            var tail = try readPart(of: file, at: start, byteCount: size - start)
            let isWhole = tail.last == UInt8(ascii: "\n")
            if isWhole { tail.removeLast() }
            if let end = tail.lastIndex(of: UInt8(ascii: "\n")) {
                return (Array(tail[(end + 1)...]), isWhole)
            }
            if start == 0 { return (tail, isWhole) }
            // No line of ours; all of it would lie in memory.
            guard room < Self.longestLineByteCount else { throw .fileTooLarge }
            room *= 8
        }
        return nil
    }

    static func digest(ofLine line: [UInt8]) -> String { hexadecimal(SHA256.digest(of: line)) }

    /// All lines, the oldest first; none without the file.
    package func logLines() throws(Failure) -> [LogLine] {
        guard try has(Self.log) else { return [] }
        let bytes = try read(Self.log, atMost: Self.longestLogByteCount)
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var before: String?
        return lines.map { bytes in
            let line = LogLine(Array(bytes), after: before)
            before = line.digest
            return line
        }
    }
}

/// A line as it stands there.
package struct LogLine: Sendable, Equatable {
    /// SHA-256 of its bytes, in hexadecimal.
    package let digest: String
    /// Nil: it was cut off, or this version does not know it.
    package let entry: LogEntry?
    /// Whether it names the line before, or is the first and names none.
    package let follows: Bool

    init(_ bytes: [UInt8], after before: String?) {
        digest = OrganizationDirectory.digest(ofLine: bytes)
        entry = try? LogEntry(parsing: bytes)
        // One that was cut off says nothing.
        let json = try? JSONValue(parsing: bytes)
        follows = json.map { $0.object?["before"]?.text == before } ?? true
    }
}
