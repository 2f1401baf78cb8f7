// The last valid content of each policy document, so that an invalid one does not lift
// restrictions.

import Glibc
import MAMModel
import MAMSystem

/// `STATE/policies`: a copy of every document in force. Memory is authoritative; a copy that cannot
/// be written is retried at each reading, and is missing only after a restart.
struct PolicyCopies {
    struct Copy {
        let bytes: [UInt8]
        /// When it came into force, in seconds since 1970.
        let time: Int64
    }

    private(set) var documents: [String: Copy] = [:]
    /// Names whose copy on disk is outdated or missing.
    private var unsaved: Set<String> = []
    /// Nil on a read-only workspace.
    private var directory: Descriptor?
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
                documents[name] = Copy(
                    bytes: try readSmallFile(
                        at: place.raw, name, maximumByteCount: maximumDocumentByteCount),
                    time: Int64(try status(at: place.raw, name).st_mtim.tv_sec))
            }
        }
        // Before it holds anything, its own name must be durable.
        guard documents.isEmpty, !isReadOnly else { return }
        let parent = try openFile(state, O_RDONLY | O_DIRECTORY)
        try withExtendedLifetime(parent) { () throws(Errno) in try synchronize(parent.raw) }
    }

    var contents: [String: [UInt8]] { documents.mapValues(\.bytes) }

    /// For a reading that puts nothing in force.
    var inMemory: PolicyCopies {
        var copies = self
        copies.directory = nil
        return copies
    }

    mutating func keep(_ bytes: [UInt8], as name: String) {
        if documents[name]?.bytes != bytes {
            documents[name] = Copy(bytes: bytes, time: Clock().now.wallSeconds)
            unsaved.insert(name)
        }
        store(name) { directory throws(Errno) in
            try replaceFile(in: directory, named: name, with: bytes)
        }
    }

    mutating func remove(_ name: String) {
        if documents.removeValue(forKey: name) != nil { unsaved.insert(name) }
        store(name) { directory throws(Errno) in
            try withExtendedLifetime(directory) { () throws(Errno) in
                try removeFile(in: directory.raw, named: name)
                try synchronizeDirectory(directory.raw)
            }
        }
    }

    private mutating func store(
        _ name: String, _ change: (Descriptor) throws(Errno) -> Void
    ) {
        guard let directory, unsaved.contains(name) else { return }
        do throws(Errno) {
            try change(directory)
            unsaved.remove(name)
        } catch {
            log.error(
                "policies/\(name) in the state directory could not be changed: \(error); an older"
                    + " version may be in force after a failed restart"
            )
        }
    }
}
