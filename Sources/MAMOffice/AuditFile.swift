// `reports/audit/MACHINE.jsonl`: one report for each line.

internal import Glibc
internal import MAMFleet
package import MAMModel
internal import MAMSystem

/// A file that grows, read line by line. A line counts once it has ended.
struct GrowingFile {
    let path: ByteString
    /// The offset of the next line.
    private(set) var offset = 0

    enum Line {
        case whole([UInt8])
        /// Longer than a report may be; it was passed over.
        case tooLong
    }

    private static let room = 64 << 10

    init(_ path: ByteString) { self.path = path }

    /// The next line; nil if no further one has ended yet.
    mutating func next() throws(Errno) -> Line? {
        let file = try openFile(path.cString, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        var (bytes, at, isTooLong): ([UInt8], Int, Bool) = ([], offset, false)
        while true {
            let part = try readPart(of: file, at: at, byteCount: Self.room)
            if part.isEmpty { return nil }
            if let end = part.firstIndex(of: UInt8(ascii: "\n")) {
                offset = at + end + 1
                return isTooLong ? .tooLong : .whole(bytes + part[..<end])
            }
            at += part.count
            isTooLong = isTooLong || bytes.count + part.count > ReportEnvelope.maximumByteCount
            bytes = isTooLong ? [] : bytes + part
        }
    }
}

/// The last whole line of a file, if it is no longer than a report may be.
func lastLine(of path: ByteString) throws(Errno) -> [UInt8]? {
    let file = try openFile(path.cString, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    let size = try status(of: file.raw).st_size
    let newline = UInt8(ascii: "\n")
    var room = 4096
    while true {
        let start = max(0, Int(size) - room)
        let tail = try readPart(of: file, at: start, byteCount: room)
        guard let end = tail.lastIndex(of: newline) else { return nil }
        if let before = tail[..<end].lastIndex(of: newline) {
            return Array(tail[(before + 1)..<end])
        }
        if start == 0 { return Array(tail[..<end]) }
        guard room <= ReportEnvelope.maximumByteCount else { return nil }
        room *= 8
    }
}

func readPart(
    of file: Descriptor, at offset: Int, byteCount: Int
) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
        try readFully(file.raw, into: buffer, at: Int64(offset))
    }
    bytes.removeLast(byteCount - count)
    return bytes
}

/// What one machine's file says next.
package enum AuditItem: Sendable, Equatable {
    /// As the machine has signed it, named as in io.mamd.Audit's Record.
    case record(JSONValue)
    /// Records of these numbers are not here: their report was held back, lost, or refused.
    case gap(from: Int64, to: Int64)
    /// A line that does not count, and why.
    case refused(String)
}

/// One machine's file: its reports, verified, in order.
struct AuditFile {
    let entry: RegisteredMachine
    private let organization: Bytes16
    private var file: GrowingFile
    /// The number of the last record; nil before the first report.
    private var last: Int64?
    /// Why the next line could not be read, the last time.
    private(set) var failure: Errno?
    private var items: ArraySlice<Timed> = []
    /// When the last record happened, in milliseconds since 1970.
    private var lastTime: Int64 = 0

    private typealias Timed = (time: Int64, item: AuditItem)

    init(_ path: ByteString, of entry: RegisteredMachine, in organization: Bytes16) {
        (file, self.entry, self.organization) = (GrowingFile(path), entry, organization)
    }

    /// When the next item happened, in milliseconds since 1970; nil at the end, for now.
    mutating func nextTime() -> Int64? {
        while items.isEmpty {
            do throws(Errno) {
                failure = nil
                guard let line = try file.next() else { return nil }
                items = read(line)[...]
            } catch {
                failure = error
                return nil
            }
        }
        return items.first?.time
    }

    mutating func take() -> AuditItem? { items.popFirst()?.item }

    private mutating func read(_ line: GrowingFile.Line) -> [Timed] {
        guard case .whole(let bytes) = line else {
            return [(lastTime, .refused("it is longer than a report may be"))]
        }
        do throws(Refusal) {
            let envelope = try ReportEnvelope(parsing: bytes)
            let report = try MachineReport(
                envelope, of: entry.machine, by: entry.publicKey, in: organization)
            guard case .audit(let batch) = report.content else {
                throw .malformed("it is no report of an audit")
            }
            return items(of: batch, issued: report.issued)
        } catch { return [(lastTime, .refused("\(error)"))] }
    }

    private mutating func items(of batch: AuditBatch, issued: Int64) -> [Timed] {
        var found: [Timed] = []
        // What stands between the number that was asked for and the first record, the machine
        // itself has dropped.
        let before = batch.after ?? batch.from - 1
        if let last, before > last {
            found.append((lastTime, .gap(from: last + 1, to: before)))
        }
        for record in batch.records {
            let members = record.object
            // A record that was there before was sent twice.
            guard let sequence = members?["sequence"]?.integer, sequence > last ?? -1 else {
                continue
            }
            lastTime =
                members?["time"]?.text.flatMap { Timestamp($0) }?.milliseconds ?? issued * 1000
            last = sequence
            found.append((lastTime, .record(record)))
        }
        return found
    }
}
