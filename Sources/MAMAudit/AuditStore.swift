// The audit's files.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// Three series, so that refusals of many users displace only each other, and what a user causes
/// again and again only what users cause so.
struct AuditStore {
    private var refusals: AuditSeries
    private var repeats: AuditSeries
    private var others: AuditSeries
    private var shares: AuditShares
    private let directory: Descriptor
    private(set) var nextSequence: Int64

    /// `maximumByteCount`: for all series together.
    init(in directory: Descriptor, maximumByteCount: Int) throws(Errno) {
        self.directory = directory
        shares = AuditShares(byteCount: maximumByteCount / 1024)
        let part = maximumByteCount / 8
        refusals = AuditSeries("refusals", in: directory, maximumByteCount: 3 * part)
        repeats = AuditSeries("repeats", in: directory, maximumByteCount: 2 * part)
        others = AuditSeries("events", in: directory, maximumByteCount: 3 * part)
        nextSequence = 1
        for prefix in Self.prefixes {
            guard let name = try AuditSeries.names(prefix, in: directory).last else { continue }
            // Even a file without a complete line tells its first number.
            let first = AuditSeries.first(of: name) ?? 0
            let last = (try? Self.lastSequence(of: name, in: directory)) ?? first
            nextSequence = max(nextSequence, max(first, last).addingWithoutOverflow(1))
        }
    }

    static let prefixes = ["events", "refusals", "repeats"]

    /// The largest file that is read: larger than any of mamd's, and bounded for the reader's
    /// memory.
    private static let maximumFileByteCount = 1 << 28

    /// Numbers the records and stores them.
    mutating func append(_ records: inout [AuditRecord]) throws(Errno) {
        for index in records.indices {
            records[index].sequence = nextSequence
            nextSequence = nextSequence.addingWithoutOverflow(1)
        }
        for record in records {
            let line = record.line
            let series: WritableKeyPath<AuditStore, AuditSeries> =
                shares.isExceeded(by: record, line.count)
                ? \.repeats : record.event.isOften ? \.refusals : \.others
            try self[keyPath: series].append(line, from: record.sequence)
        }
        try refusals.synchronize()
        try repeats.synchronize()
        try others.synchronize()
    }

    /// All stored records, oldest first.
    static func records(
        in directory: Descriptor, where isWanted: (AuditRecord) -> Bool
    ) throws(Errno) -> [AuditRecord] {
        var found: [AuditRecord] = []
        for prefix in prefixes {
            for name in try AuditSeries.names(prefix, in: directory) {
                found += records(of: name, in: directory, where: isWanted)
            }
        }
        return found.sorted { $0.sequence < $1.sequence }
    }

    /// Skips invalid lines, which a crash may have cut.
    private static func records(
        of name: String, in directory: Descriptor, where isWanted: (AuditRecord) -> Bool
    ) -> [AuditRecord] {
        let bytes = try? readSmallFile(
            at: directory.raw, name, maximumByteCount: byteCount(of: name, in: directory))
        return lines(in: bytes ?? []).compactMap { record(in: $0) }.filter(isWanted)
    }

    static func lines(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"))
    }

    static func record(in line: ArraySlice<UInt8>) -> AuditRecord? {
        (try? JSONValue(parsing: Array(line))).flatMap { AuditRecord($0) }
    }

    /// The number of the last complete line, searched from the end so that a start does not read
    /// everything. Nil if there is none.
    private static func lastSequence(
        of name: String, in directory: Descriptor
    ) throws(Errno) -> Int64? {
        let file = try openFile(at: directory.raw, name, O_RDONLY | O_NOFOLLOW)
        var count = 1 << 16
        while true {
            let bytes = try readEnd(of: file, maximumByteCount: count)
            let last = lines(in: bytes).reversed().lazy.compactMap { record(in: $0) }.first
            if last != nil || bytes.count < count || count >= maximumFileByteCount {
                return last?.sequence
            }
            count *= 2
        }
    }

    static func byteCount(of name: String, in directory: Descriptor) -> Int {
        // A file that is growing is read up to its size at this moment; slightly more does no harm.
        let size = (try? status(at: directory.raw, name).st_size) ?? 0
        return min(max(0, Int(size)) + (1 << 16), maximumFileByteCount)
    }
}

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? 1 : sum
    }
}

extension LogMessage {
    /// Programs can cause these at any rate.
    var isOften: Bool {
        switch self {
        case .refused, .denied, .given, .damaged, .signInRefused: true
        default: false
        }
    }
}

/// Reads the audit in a state directory, with or without a running daemon.
package func auditRecords(inState path: String) throws(Errno) -> [AuditRecord] {
    let directory = try openFile("\(path)/audit", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    return try AuditStore.records(in: directory) { _ in true }
}
