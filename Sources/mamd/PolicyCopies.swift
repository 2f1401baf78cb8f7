// What each policy document said when it was last good, so that a bad one does not set anybody free.

import Glibc
import MAMSystem

/// `STATE/policies`: a copy of every document that is in force. What is in memory counts; a copy that cannot be
/// written is missing only after a restart.
struct PolicyCopies {
    private(set) var documents: [String: [UInt8]] = [:]
    /// Nil where nothing may be written.
    private let directory: Descriptor?
    private let log: Log

    /// `state`: the state directory.
    init(in state: String, isReadOnly: Bool, _ log: Log) throws(Errno) {
        self.log = log
        let path = "\(state)/policies"
        if isReadOnly {
            directory = nil
            guard access(path, F_OK) == 0 else { return }
        } else {
            try makeDirectories(path, mode: 0o700)
            directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        }
        let place = try openFile(path, O_RDONLY | O_DIRECTORY)
        try withExtendedLifetime(place) { () throws(Errno) in
            for name in try unfinishedFiles(in: place.raw) where !isReadOnly {
                unlinkat(place.raw, name, 0)
            }
            for name in try entries(of: place.raw).compactMap(\.text) {
                documents[name] = try readSmallFile(
                    at: place.raw, name, maximumByteCount: maximumDocumentByteCount)
            }
        }
    }

    mutating func keep(_ bytes: [UInt8], as name: String) {
        guard documents[name] != bytes else { return }
        documents[name] = bytes
        store(name) { directory throws(Errno) in
            try bytes.span.withUnsafeBytes { buffer throws(Errno) in
                try replaceFile(in: directory, named: name, with: buffer)
            }
        }
    }

    mutating func remove(_ name: String) {
        guard documents.removeValue(forKey: name) != nil else { return }
        store(name) { directory throws(Errno) in
            _ = try retrying { unlinkat(directory, name, 0) }
            try synchronizeDirectory(directory)
        }
    }

    private func store(_ name: String, _ change: (Int32) throws(Errno) -> Void) {
        guard let directory else { return }
        do throws(Errno) {
            try withExtendedLifetime(directory) { () throws(Errno) in try change(directory.raw) }
        } catch {
            log.error(
                "policies/\(name) in the state directory could not be changed: \(error); after a restart that fails an older version may count"
            )
        }
    }
}
