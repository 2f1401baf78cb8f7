// What a carrier carries: all documents for one audience, in one file or one message.

package import MAMFleet
internal import MAMModel

/// A JSON array of envelopes, as they are in files. Nothing of it was verified.
package struct DocumentBundle: Sendable, Equatable {
    package static let maximumByteCount = 4 << 20
    /// Of JSON: an envelope has some ten.
    private static let maximumValueCount = 100_000

    package let envelopes: [Envelope]

    package init(_ envelopes: [Envelope]) { self.envelopes = envelopes }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else { throw .malformed("it is too long") }
        guard
            let list = (try? JSONValue(parsing: bytes, maximumCount: Self.maximumValueCount))?
                .array
        else { throw .malformed("it is no bundle of documents") }
        var found: [Envelope] = []
        for element in list { found.append(try Envelope(parsing: element.encoded())) }
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

/// Whose bundle.
package enum BundlePlace: Sendable, Hashable {
    case roots, all, time
    case group(String)
    case machine(MachineID)

    /// Below a web server's directory, or a stick's.
    package var path: String {
        switch self {
        case .roots: "roots.json"
        case .all: "all.json"
        case .time: "time.json"
        case .group(let name): "g/\(name).json"
        case .machine(let id): "m/\(id).json"
        }
    }

    /// Of a message.
    package var subject: String {
        switch self {
        case .roots: Subject.roots
        case .all: Subject.all
        case .time: Subject.time
        case .group(let name): Subject.group(name)
        case .machine(let id): Subject.machine(id)
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
