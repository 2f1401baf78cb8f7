// Reads the documents in the policy directory.

import Glibc
import MAMEnrollment
import MAMFleet
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault

/// The contents of one file.
private enum PolicyFile {
    case documents([PolicyDocument])
    case wipeRequest(WipeRequest)
    /// Nothing of effect.
    case ignored
}

/// Why a file's content is not used; a sentence.
struct Unusable: Error {
    let reason: String
    /// It is a wipe order, which is carried out nevertheless.
    var isObeyed = false
}

extension PolicyDirectory {
    /// Reads all files, and saves copies of the valid ones.
    func read(_ copies: inout PolicyCopies) -> PolicyReading {
        let directory: Descriptor
        let names: [ByteString]
        do throws(Errno) {
            directory = try openFile(path, O_RDONLY | O_DIRECTORY)
            names = try withExtendedLifetime(directory) { () throws(Errno) in
                try entries(of: directory.raw)
            }
        } catch { return lastGood(copies, failure: error.description) }
        var reading = PolicyReading()
        let documents = names.filter(isDocument).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        for name in documents { take(name, in: directory, &reading, &copies) }
        let present = Set(documents.compactMap(\.text))
        let gone = copies.documents.keys.filter { !present.contains($0) }.sorted()
        takeBack(gone, &reading, &copies)
        return reading
    }

    /// A removed document is no longer in force, unless a refused file may be its replacement.
    private func takeBack(
        _ names: [String], _ reading: inout PolicyReading, _ copies: inout PolicyCopies
    ) {
        let spoilt = reading.refused.first { !$0.isObeyed }
        for name in names {
            guard let spoilt else {
                copies.remove(name)
                continue
            }
            let reason = "it was removed, and its possible replacement \(spoilt.file) is refused"
            refuse(name, Unusable(reason: reason), &reading, copies)
        }
    }

    private func isDocument(_ name: ByteString) -> Bool {
        isDocumentName(name.bytes)
            || Self.debugPolicyNames.contains { $0 == name.text }
    }

    static let debugPolicyNames = ["MAMDebugSettings.json", "MAMDebugSettings.plist"]

    private func take(
        _ name: ByteString, in directory: Descriptor, _ reading: inout PolicyReading,
        _ copies: inout PolicyCopies
    ) {
        guard let text = name.text else {
            let unnamed = Unusable(reason: "its name is not UTF-8; rename it")
            return refuse(name.shown, unnamed, &reading, copies)
        }
        let since = try? status(at: directory.raw, name.cString).st_ctim.tv_sec
        do throws(Unusable) {
            let bytes = try content(of: name, in: directory)
            let isKnown = copies.documents[text] != nil
            if try isSigned(bytes, mayIgnore: !isKnown) { return }
            switch try parse(bytes, text) {
            case .documents(let documents):
                guard !liftsProtection(documents, text, copies) else {
                    throw Unusable(reason: PolicyError.onlyConfigurations.description)
                }
                reading.documents += documents
                copies.keep(bytes, as: text)
            case .wipeRequest(let request):
                reading.wipeRequests.append(request)
                guard copies.documents[text] == nil else {
                    throw Unusable(
                        reason: "the file is a wipe request, which is carried out",
                        isObeyed: true)
                }
            case .ignored: copies.remove(text)
            }
        } catch { refuse(text, error, since: since.map(Int64.init), &reading, copies) }
    }

    /// Signed documents count once the workspace has joined; what they replaced stays until then.
    private func isSigned(_ bytes: [UInt8], mayIgnore: Bool) throws(Unusable) -> Bool {
        guard let json = try? JSONValue(parsing: bytes), Bundle.isSigned(json) else {
            return false
        }
        guard mayIgnore else {
            throw Unusable(reason: "it is signed, and this workspace has joined no organisation")
        }
        return true
    }

    /// True if configurations replace a protection, whose rules they lack.
    private func liftsProtection(
        _ documents: [PolicyDocument], _ name: String, _ copies: PolicyCopies
    ) -> Bool {
        guard !documents.contains(where: \.isProtection) else { return false }
        return lastGood(name, copies)?.contains(where: \.isProtection) ?? false
    }

    private func refuse(
        _ name: String, _ finding: Unusable, since: Int64? = nil, _ reading: inout PolicyReading,
        _ copies: PolicyCopies
    ) {
        let last = lastGood(name, copies)
        reading.documents += last ?? []
        reading.refused.append(
            RefusedDocument(
                file: name, reason: finding.reason, isObeyed: finding.isObeyed && last != nil,
                since: since ?? Clock().now.wallSeconds, lastGood: versionInForce(name, copies)))
    }

    func versionInForce(_ name: String, _ copies: PolicyCopies) -> RefusedDocument.LastGood? {
        lastGood(name, copies).map {
            RefusedDocument.LastGood(
                documents: $0.map(\.labelWithVersion).joined(separator: ", "),
                time: copies.documents[name]?.time ?? 0)
        }
    }

    /// All documents as of the last successful reading of the directory.
    func lastGood(_ copies: PolicyCopies, failure: String? = nil) -> PolicyReading {
        var reading = PolicyReading()
        for name in copies.documents.keys.sorted() {
            if let documents = lastGood(name, copies) {
                reading.documents += documents
            } else {
                let reason = "the copy of its last good version is damaged; put it here again"
                refuse(name, Unusable(reason: reason), &reading, copies)
            }
        }
        reading.failure = failure
        return reading
    }

    /// Nil if there is no copy, or this version cannot decode it.
    private func lastGood(_ name: String, _ copies: PolicyCopies) -> [PolicyDocument]? {
        guard let copy = copies.documents[name],
            case .documents(let documents)? = try? parse(copy.bytes, name)
        else { return nil }
        return documents
    }

    func content(
        of name: ByteString, in directory: Descriptor
    ) throws(Unusable) -> [UInt8] {
        do throws(Errno) {
            return try withExtendedLifetime(directory) { () throws(Errno) in
                documentText(
                    try readSmallFile(
                        at: directory.raw, name.cString,
                        maximumByteCount: maximumDocumentByteCount))
            }
        } catch { throw Unusable(reason: "it cannot be read: \(error)") }
    }

    private func parse(_ bytes: [UInt8], _ name: String) throws(Unusable) -> PolicyFile {
        if let json = try? JSONValue(parsing: bytes),
            json.object?["@odata.type"]?.text == WipeRequest.type
        {
            guard let request = WipeRequest(json) else {
                throw Unusable(reason: "a wipe request needs an id and an account")
            }
            return .wipeRequest(request)
        }
        do throws(PolicyError) {
            if Self.debugPolicyNames.contains(name) {
                guard settings.debugSettingsEnabled else { return .ignored }
            }
            return .documents(
                try PolicyDocument.decode(
                    bytes, file: name, acceptsLegacy: settings.debugSettingsEnabled))
        } catch { throw Unusable(reason: error.description) }
    }

    /// True of what a failed ``write(_:as:)`` has put there all the same.
    func has(_ bytes: [UInt8], as name: String) -> Bool {
        (try? readSmallFile("\(path)/\(name)", maximumByteCount: bytes.count)) == bytes
    }

    /// Writes a document into the directory atomically.
    func write(_ bytes: [UInt8], as name: String) throws(Errno) {
        try makeDirectories(path, mode: 0o700)
        let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        try replaceFile(in: directory, named: name, with: bytes)
    }
}
