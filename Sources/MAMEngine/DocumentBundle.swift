// What a carrier carries: all documents for one audience, in one file or one message.

package import MAMFleet
internal import MAMModel

/// A JSON array of envelopes, as they are in files. Nothing of it was verified.
package struct DocumentBundle: Sendable, Equatable {
    package static let maximumByteCount = Bundle.maximumByteCount

    package let envelopes: [Envelope]

    package init(_ envelopes: [Envelope]) { self.envelopes = envelopes }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var found: [Envelope] = []
        for element in try Bundle.elements(of: bytes) {
            found.append(try Envelope(parsing: element))
        }
        envelopes = found
    }

    /// The same documents give the same bytes. Refuses what nobody would read.
    package func encoded() throws(Refusal) -> [UInt8] {
        let lines = envelopes.map { $0.json.encoded() }
        let text =
            Array("[\n".utf8) + lines.joined(separator: Array(",\n".utf8)) + Array("\n]\n".utf8)
        guard text.count <= Self.maximumByteCount else {
            throw .malformed(
                "its \(envelopes.count) documents take \(text.count) bytes together, of"
                    + " \(Self.maximumByteCount) at most")
        }
        return text
    }
}

/// The machines that a bundle is for, or its kind: each place has one bundle.
package enum BundlePlace: Sendable, Hashable {
    case roots, all, time
    case group(String)
    case machine(MachineID)

    /// The file's path below a web server's directory, or a stick's.
    package var path: String {
        switch self {
        case .roots: "roots.json"
        case .all: "all.json"
        case .time: "time.json"
        case .group(let name): "g/\(name).json"
        case .machine(let id): "m/\(id).json"
        }
    }

    /// The subject of its message.
    package var subject: String {
        switch self {
        case .roots: Subject.roots
        case .all: Subject.all
        case .time: Subject.time
        case .group(let name): Subject.group(name)
        case .machine(let id): Subject.machine(id)
        }
    }

    /// The order in which machines take them: roots first, since their keys count for all that
    /// follows; the machine's memberships before its groups' policies; and the time, which names
    /// them all, last.
    package var rank: Int {
        switch self {
        case .roots: 0
        case .all: 1
        case .machine: 2
        case .group: 3
        case .time: 4
        }
    }

    package init(_ kind: DocumentKind, _ audience: Audience) {
        self =
            switch (kind, audience) {
            case (.root, _): .roots
            case (.time, _): .time
            case (_, .all): .all
            case (_, .group(let name)): .group(name)
            case (_, .machine(let id)): .machine(id)
            }
    }
}
