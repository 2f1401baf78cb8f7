// Line files with a size limit; the oldest are removed first.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// One kind of lines in a directory: `PREFIX.NUMBER.jsonl`, where the number is that of the first
/// line's record.
///
/// Its system calls bypass ``Faults``: tests inject failures elsewhere.
struct AuditSeries {
    let prefix: String
    private let directory: Descriptor
    /// The limit per file.
    private let maximumByteCount: Int
    private var file: Descriptor?
    private var byteCount = 0
    /// The last write may not have reached its line's end.
    private var isTorn = true
    /// The disk has all that was written.
    private var isSynchronous = true

    /// The number of files kept, including the current one.
    private static let fileCount = 4

    init(_ prefix: String, in directory: Descriptor, maximumByteCount: Int) {
        self.prefix = prefix
        self.directory = directory
        self.maximumByteCount = maximumByteCount / Self.fileCount
    }

    /// Appends a whole line, of the record with that number.
    mutating func append(_ line: [UInt8], from sequence: Int64) throws(Errno) {
        if file == nil || byteCount + line.count > maximumByteCount {
            try synchronize()
            try open(for: sequence, line.count)
        }
        guard let file else { return }
        // A line cut by a crash or a full disk must not swallow the next one.
        let bytes = (isTorn && byteCount > 0 ? [UInt8(ascii: "\n")] : []) + line
        (isTorn, isSynchronous) = (true, false)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try retrying {
                rest.withUnsafeBytes { write(file.raw, $0.baseAddress, $0.count) }
            }
            byteCount += count
            rest = rest.dropFirst(count)
        }
        isTorn = false
    }

    mutating func synchronize() throws(Errno) {
        guard let file, !isSynchronous else { return }
        _ = try retrying { fdatasync(file.raw) }
        isSynchronous = true
    }

    /// Opens the newest file, or the next one if that is full.
    private mutating func open(for sequence: Int64, _ count: Int) throws(Errno) {
        var names = try Self.names(prefix, in: directory)
        if file == nil, let last = names.last {
            let (newest, size) = try Self.open(last, in: directory)
            if size + count <= maximumByteCount {
                (file, byteCount) = (newest, size)
                return
            }
        }
        let digits = String(sequence)
        let zeros = String(repeating: "0", count: max(0, 19 - digits.count))
        names.append("\(prefix).\(zeros)\(digits).jsonl")
        (file, byteCount) = try Self.open(names[names.count - 1], in: directory)
        for name in names.dropLast(Self.fileCount) { unlinkat(directory.raw, name, 0) }
    }

    private static func open(
        _ name: String, in directory: Descriptor
    ) throws(Errno) -> (Descriptor, size: Int) {
        let file = try openFile(
            at: directory.raw, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, mode: 0o600)
        return (file, Int(try status(of: file.raw).st_size))
    }

    /// The number of a file's first record, as its name tells.
    static func first(of name: String) -> Int64? { Int64(name.split(separator: ".")[1]) }

    /// Oldest first.
    static func names(_ prefix: String, in directory: Descriptor) throws(Errno) -> [String] {
        try entries(of: directory.raw).compactMap(\.text)
            .filter { $0.hasPrefix("\(prefix).") && $0.hasSuffix(".jsonl") }.sorted()
    }
}
