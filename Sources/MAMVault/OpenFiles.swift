// The files in use, whose keys a lock has to drop.

package import MAMFormat
internal import MAMLocks
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// Holds weak references: a file disappears when its last handle closes.
package final class OpenFiles: Sendable {
    private struct Reference: @unchecked Sendable {
        // Accessed only under the mutex; VaultFile itself is Sendable.
        package weak var file: VaultFile?
    }

    private let files = Guarded<[ObjectIdentifier: Reference]>([:])
    /// Of closed files, too.
    package let uncertainEnds = UncertainEnds()

    package func add(_ file: VaultFile) {
        files.withLock { $0[ObjectIdentifier(file)] = Reference(file: file) }
    }

    package func remove(_ id: ObjectIdentifier) { files.withLock { $0[id] = nil } }

    package var all: [VaultFile] { files.withLock { $0.values.compactMap(\.file) } }
}

/// Files whose size may contradict their last block without being damaged, after a crash or a
/// failed call. Empty until files are added.
package final class UncertainEnds: Sendable {
    private let mayBeAny = Atomic<Bool>(false)
    private let awaitsKeys = Atomic<Bool>(false)
    private let unfinished = Atomic<Bool>(false)
    private let keys = Guarded<Set<KeyID>>([])
    private let files = Guarded<Set<FileID>>([])

    /// True after an unclean end, until every file was examined.
    package var areAll: Bool { mayBeAny.load(ordering: .sequentiallyConsistent) }

    package func beginWithAll() { mayBeAny.store(true, ordering: .sequentiallyConsistent) }

    /// Keys of files left by a crash that can be repaired once the key is loaded.
    package var awaitedKeys: Set<KeyID> { keys.withLock { $0 } }

    /// All files were examined and repaired where possible; only those of these keys are left.
    package func narrow(to awaited: Set<KeyID>) {
        keys.withLock { $0 = awaited }
        awaitsKeys.store(!awaited.isEmpty, ordering: .sequentiallyConsistent)
        mayBeAny.store(false, ordering: .sequentiallyConsistent)
    }

    /// A failed call may have left the file's end inconsistent.
    package func add(_ file: FileID) { files.withLock { _ = $0.insert(file) } }

    /// True if a closed file may have data that was not stored.
    var hasLeftUnfinished: Bool { unfinished.load(ordering: .relaxed) }

    /// The last handle of a file closed, and some of its data may not be stored.
    func noteUnfinished(_ header: FileHeader?) {
        unfinished.store(true, ordering: .relaxed)
        if let header { add(header.fileID) }
    }

    package func contains(_ header: FileHeader) -> Bool {
        mayBeOfCrash(header) || files.withLock { $0.contains(header.fileID) }
    }

    /// True while files from the last crash may be unrepaired.
    package var areLeft: Bool {
        areAll || awaitsKeys.load(ordering: .sequentiallyConsistent)
    }

    /// True if this file may be one of them.
    package func mayBeOfCrash(_ header: FileHeader) -> Bool {
        areAll || keys.withLock { keys in header.sealing.map { keys.contains($0.keyID) } ?? false }
    }
}
