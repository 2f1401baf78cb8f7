// How far the streams were read.

internal import Glibc
internal import MAMFleet
internal import MAMModel
internal import MAMSystem

/// reports/.places.json: of each stream when it was made, the last number, and where reports of
/// machines begin that were not registered yet.
struct PullPlaces {
    private struct Place {
        var created = ""
        var last: UInt64 = 0
        var unknown: [MachineID: UInt64] = [:]
    }

    private static let file = ".places.json"
    private static let maximumUnknownCount = 100_000
    private let directory: String
    private var places: [String: Place] = [:]

    init(_ office: Office) {
        directory = "\(office.path)/reports"
        let bytes = try? readSmallFile("\(directory)/\(Self.file)", maximumByteCount: 16 << 20)
        let json = bytes.flatMap { try? JSONValue(parsing: $0, maximumCount: 1_000_000) }
        for (stream, value) in json?.object ?? [:] {
            var place = Place()
            place.created = value.object?["created"]?.text ?? ""
            place.last = value.object?["last"]?.integer.flatMap { UInt64(exactly: $0) } ?? 0
            for (text, number) in value.object?["unknown"]?.object ?? [:] {
                guard let machine = Bytes16(hex: text),
                    let sequence = number.integer.flatMap({ UInt64(exactly: $0) })
                else { continue }
                place.unknown[machine] = sequence
            }
            places[stream] = place
        }
    }

    /// A stream that was made anew is read from its start.
    mutating func begin(_ stream: String, created: String) {
        if places[stream]?.created != created {
            places[stream] = Place(created: created)
        }
    }

    func next(_ stream: String) -> UInt64 { (places[stream]?.last ?? 0) + 1 }
    func unknown(_ stream: String) -> [MachineID: UInt64] { places[stream]?.unknown ?? [:] }

    mutating func move(_ stream: String, to number: UInt64) { places[stream]?.last = number }
    mutating func forget(_ stream: String, _ machine: MachineID) {
        places[stream]?.unknown[machine] = nil
    }

    mutating func noteUnknown(_ stream: String, _ machine: MachineID, _ number: UInt64) {
        guard let place = places[stream], place.unknown[machine] == nil,
            place.unknown.count < Self.maximumUnknownCount
        else { return }
        places[stream]?.unknown[machine] = number
    }

    func write() throws(Errno) {
        let json = places.mapValues { place -> JSONValue in
            [
                "created": .string(place.created), "last": .integer(Int64(clamping: place.last)),
                "unknown": .object(
                    Dictionary(
                        uniqueKeysWithValues: place.unknown.map {
                            ($0.key.description, .integer(Int64(clamping: $0.value)))
                        })),
            ]
        }
        let bytes = JSONValue.object(json).encoded()
        let file = try openFile(directory, O_RDONLY | O_DIRECTORY)
        try bytes.span.withUnsafeBytes { content throws(Errno) in
            try replaceFile(in: file.raw, named: Self.file, with: content, mode: 0o600)
        }
    }
}
