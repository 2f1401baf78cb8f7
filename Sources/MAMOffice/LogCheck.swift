// Whether the log is whole, and has all documents that are here or were sent.

internal import MAMFleet
package import MAMModel

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
        /// More keys have signed one that is in the log, here or on its way to the engine.
        case cosigned(LogEntry.Document)
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
    /// By fingerprint, the keys that had signed it by then.
    private var logged: [String: Set<Bytes16>] = [:]

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
            note(document)
            guard DocumentKind.lasting.contains(document.slot.kind) else { continue }
            if document.serial >= newest[document.slot]?.serial ?? 0 {
                newest[document.slot] = document
            }
        }
        let present = try documents(in: directory)
        findings += present.compactMap { finding(on: $0, Finding.unlogged) }
        let here = Set(present.map(\.fingerprint))
        findings += newest.values.filter { !here.contains($0.fingerprint) }
            .sorted { $0.slot.description < $1.slot.description }.map { .missing($0) }
        present.forEach { note($0) }
        findings += sent.documents.compactMap { finding(on: $0, Finding.sent) }
        findings += sent.junk.sorted { $0.key < $1.key }.map {
            .unusable(UnusableFile(name: $0.key, reason: $0.value))
        }
    }

    /// Those that are here and not in the log as they are; without what the engine has.
    package var unlogged: [LogEntry.Document] {
        findings.compactMap {
            switch $0 {
            case .unlogged(let document), .cosigned(let document): document
            default: nil
            }
        }
    }

    private mutating func note(_ document: LogEntry.Document) {
        logged[document.fingerprint, default: []].formUnion(document.keys)
    }

    private func finding(
        on document: LogEntry.Document, _ unknown: (LogEntry.Document) -> Finding
    ) -> Finding? {
        guard let keys = logged[document.fingerprint] else { return unknown(document) }
        return keys.isSuperset(of: document.keys) ? nil : .cosigned(document)
    }

    private mutating func documents(
        in directory: OrganizationDirectory
    ) throws(OrganizationDirectory.Failure) -> [LogEntry.Document] {
        var names =
            try directory.has(OrganizationDirectory.root) ? [OrganizationDirectory.root] : []
        for place in OrganizationDirectory.logged {
            names += try directory.files(below: place)
        }
        let known = try directory.keysOfRoots()
        var found: [LogEntry.Document] = []
        for name in names where name != OrganizationDirectory.rollout {
            let result = directory.reading(name, atMost: Envelope.maximumByteCount) {
                bytes throws(Refusal) in
                try LogEntry.Document(name, Envelope(parsing: bytes), by: known)
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

    /// Of all roots that are here, valid or not: no key has another's id.
    package func keysOfRoots() throws(Failure) -> [Bytes16: [UInt8]] {
        var found: [Bytes16: [UInt8]] = [:]
        for name in try files(below: Self.roots) + [Self.root] {
            guard let envelope = try? envelope(name), envelope.kind == .root,
                let root = try? Root(parsing: envelope.content)
            else { continue }
            found.merge(root.keys) { key, _ in key }
        }
        return found
    }
}
