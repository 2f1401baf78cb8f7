// Reads on from a record, without reading all that came before it.

internal import MAMModel
internal import MAMSystem

extension AuditStore {
    /// The first `limit` records with numbers above `after` and up to `last`, in order.
    static func records(
        in directory: Descriptor, after: Int64, upTo last: Int64, atMost limit: Int
    ) throws(Errno) -> [AuditRecord] {
        var found: [AuditRecord] = []
        for prefix in prefixes {
            var ofSeries: [AuditRecord] = []
            for name in try names(prefix, after: after, in: directory) {
                guard ofSeries.count < limit else { break }
                ofSeries += records(
                    of: name, in: directory, after: after, atMost: limit - ofSeries.count)
            }
            found += ofSeries
        }
        found.removeAll { $0.sequence > last }
        return Array(found.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    /// Files that may have such records: each ends where the next one begins.
    private static func names(
        _ prefix: String, after: Int64, in directory: Descriptor
    ) throws(Errno) -> [String] {
        let names = try AuditSeries.names(prefix, in: directory)
        return names.indices.filter { index in
            guard index + 1 < names.count, let next = AuditSeries.first(of: names[index + 1]) else {
                return true
            }
            return next > after
        }.map { names[$0] }
    }

    private static func records(
        of name: String, in directory: Descriptor, after: Int64, atMost limit: Int
    ) -> [AuditRecord] {
        let bytes = try? readSmallFile(
            at: directory.raw, name, maximumByteCount: byteCount(of: name, in: directory))
        let lines = lines(in: bytes ?? [])
        var found: [AuditRecord] = []
        for line in lines[firstLine(after: after, in: lines)...] where found.count < limit {
            if let record = record(in: line), record.sequence > after { found.append(record) }
        }
        return found
    }

    /// By halves, as the numbers ascend. Lines that a crash has cut are skipped.
    private static func firstLine(after: Int64, in lines: [ArraySlice<UInt8>]) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = low + (high - low) / 2
            var probe = middle
            var found: Int64?
            while probe < high {
                found = record(in: lines[probe])?.sequence
                if found != nil { break }
                probe += 1
            }
            if let found, found <= after { low = probe + 1 } else { high = middle }
        }
        return low
    }
}
