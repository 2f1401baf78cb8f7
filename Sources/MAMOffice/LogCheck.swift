// Whether the log is whole, and has all documents that are here or were sent.

internal import MAMFleet
internal import MAMModel

/// A log shows what its writers did; who may write the directory can write another one. So a digest
/// of it that somebody else has kept is what tells a changed log, and documents tell a short one.
package struct LogCheck: Sendable {
    package enum Finding: Sendable, Equatable {
        /// The number of a line, from 1, that was changed, or before which one was.
        case changed(Int)
        /// Of one that was cut off, or that a newer version wrote.
        case unreadable(Int)
        /// A document that was signed elsewhere, with a stolen key, or by a copy of the directory.
        case unlogged(LogEntry.Document)
        /// Somebody has sent it to the engine.
        case sent(LogEntry.Document)
        /// The newest of its slot that was signed here is here no more.
        case missing(LogEntry.Document)
        case unusable(UnusableFile)
    }

    package let lineCount: Int
    /// Of the last line; nil without one.
    package let digest: String?
    package private(set) var findings: [Finding] = []
    /// By fingerprint.
    private var logged: Set<String> = []

    /// `sent`: what the engine has, if it was asked.
    package init(
        _ directory: OrganizationDirectory, sent: SentDocuments = SentDocuments()
    ) throws(OrganizationDirectory.Failure) {
        let lines = try directory.logLines()
        (lineCount, digest) = (lines.count, lines.last?.digest)
        var newest: [Slot: LogEntry.Document] = [:]
        for (index, line) in lines.enumerated() {
            if !line.follows { findings.append(.changed(index + 1)) }
            guard let entry = line.entry else {
                findings.append(.unreadable(index + 1))
                continue
            }
            guard let document = entry.document else { continue }
            logged.insert(document.fingerprint)
            guard DocumentKind.lasting.contains(document.slot.kind) else { continue }
            if document.serial >= newest[document.slot]?.serial ?? 0 {
                newest[document.slot] = document
            }
        }
        let present = try documents(in: directory)
        findings += present.filter { !logged.contains($0.fingerprint) }.map { .unlogged($0) }
        let here = Set(present.map(\.fingerprint))
        findings += newest.values.filter { !here.contains($0.fingerprint) }
            .sorted { $0.slot.description < $1.slot.description }.map { .missing($0) }
        let known = logged.union(here)
        findings += sent.documents.filter { !known.contains($0.fingerprint) }.map { .sent($0) }
        findings += sent.junk.sorted { $0.key < $1.key }.map {
            .unusable(UnusableFile(name: $0.key, reason: $0.value))
        }
    }

    /// Those that are here and not in the log.
    package var unlogged: [LogEntry.Document] {
        findings.compactMap { if case .unlogged(let document) = $0 { document } else { nil } }
    }

    private mutating func documents(
        in directory: OrganizationDirectory
    ) throws(OrganizationDirectory.Failure) -> [LogEntry.Document] {
        var names =
            try directory.has(OrganizationDirectory.root) ? [OrganizationDirectory.root] : []
        for place in OrganizationDirectory.logged {
            names += try directory.files(below: place)
        }
        var found: [LogEntry.Document] = []
        for name in names where name != OrganizationDirectory.rollout {
            let result = directory.reading(name, atMost: Envelope.maximumByteCount) {
                bytes throws(Refusal) in
                try LogEntry.Document(name, Envelope(parsing: bytes))
            }
            switch result {
            case .success(let document): found.append(document)
            case .failure(let file): findings.append(.unusable(file))
            case nil: break
            }
        }
        return found
    }
}

extension OrganizationDirectory {
    /// Where documents stand whose signing the log has.
    package static let logged = [roots, signed, rings, orders]
}
