// How far the streams were read.

internal import Glibc
internal import MAMFleet
internal import MAMModel
internal import MAMSystem

/// The content of reports/.places.json: for each stream when it was made, the number of the last
/// message, and where reports of machines begin that were not registered yet.
struct StreamPositions {
    private struct Position {
        var created = ""
        var last: UInt64 = 0
        var unknown: [MachineID: UInt64] = [:]
    }

    private static let file = ".places.json"
    private static let maximumUnknownCount = 100_000
    private let directory: String
    private var positions: [String: Position] = [:]

    init(_ office: Office) {
        directory = "\(office.path)/reports"
        let bytes = try? readSmallFile("\(directory)/\(Self.file)", maximumByteCount: 16 << 20)
        let json = bytes.flatMap { try? JSONValue(parsing: $0, maximumCount: 1_000_000) }
        for (stream, value) in json?.object ?? [:] {
            var position = Position()
            position.created = value.object?["created"]?.text ?? ""
            position.last = value.object?["last"]?.integer.flatMap { UInt64(exactly: $0) } ?? 0
            for (text, number) in value.object?["unknown"]?.object ?? [:] {
                guard let machine = Bytes16(hex: text),
                    let sequence = number.integer.flatMap({ UInt64(exactly: $0) })
                else { continue }
                position.unknown[machine] = sequence
            }
            positions[stream] = position
        }
    }

    /// A stream that was made anew is read from its start, and so is one that has lost its end: a
    /// server was rolled back, and other messages get the numbers that were read.
    mutating func begin(_ stream: String, created: String, last: UInt64) {
        guard let known = positions[stream], known.created == created, known.last <= last else {
            positions[stream] = Position(created: created)
            return
        }
    }

    func next(_ stream: String) -> UInt64 { (positions[stream]?.last ?? 0) + 1 }
    func unknown(_ stream: String) -> [MachineID: UInt64] { positions[stream]?.unknown ?? [:] }

    mutating func move(_ stream: String, to number: UInt64) { positions[stream]?.last = number }
    mutating func forget(_ stream: String, _ machine: MachineID) {
        positions[stream]?.unknown[machine] = nil
    }

    mutating func noteUnknown(_ stream: String, _ machine: MachineID, _ number: UInt64) {
        guard let position = positions[stream], position.unknown[machine] == nil,
            position.unknown.count < Self.maximumUnknownCount
        else { return }
        positions[stream]?.unknown[machine] = number
    }

    func write() throws(Errno) {
        let json = positions.mapValues { position -> JSONValue in
            [
                "created": .string(position.created),
                "last": .integer(Int64(clamping: position.last)),
                "unknown": JSONValue(
                    position.unknown.mapValues { .integer(Int64(clamping: $0)) }),
            ]
        }
        let bytes = JSONValue.object(json).encoded()
        let file = try openFile(directory, O_RDONLY | O_DIRECTORY)
        try bytes.span.withUnsafeBytes { content throws(Errno) in
            try replaceFile(in: file.raw, named: Self.file, with: content, mode: 0o600)
        }
    }
}
