// Which files may end elsewhere than their last blocks say without being damaged: a crash left them
// so, or a call that failed.

package import MAMFormat
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// None, until it is told of some.
package final class UncertainEnds: Sendable {
    private let mayBeAny = Atomic<Bool>(false)
    private let awaitsKeys = Atomic<Bool>(false)
    private let keys = Guarded<Set<KeyID>>([])
    private let files = Guarded<Set<FileID>>([])

    /// After an unclean end, until every file was looked at.
    package var areAll: Bool { mayBeAny.load(ordering: .sequentiallyConsistent) }

    package func beginWithAll() { mayBeAny.store(true, ordering: .sequentiallyConsistent) }

    /// Of which a crash left files that can be repaired once the key is at hand.
    package var awaitedKeys: Set<KeyID> { keys.withLock { $0 } }

    /// All files were looked at, and what could be was repaired: only those of these keys are left.
    package func narrow(to awaited: Set<KeyID>) {
        keys.withLock { $0 = awaited }
        awaitsKeys.store(!awaited.isEmpty, ordering: .sequentiallyConsistent)
        mayBeAny.store(false, ordering: .sequentiallyConsistent)
    }

    /// A call that failed may have left the file's end behind.
    func add(_ file: FileID) { files.withLock { _ = $0.insert(file) } }

    package func contains(_ header: FileHeader) -> Bool {
        mayBeOfCrash(header) || files.withLock { $0.contains(header.fileID) }
    }

    /// True while the last crash may have left any file so, and not yet repaired.
    package var areLeft: Bool {
        areAll || awaitsKeys.load(ordering: .sequentiallyConsistent)
    }

    /// The same of this file.
    package func mayBeOfCrash(_ header: FileHeader) -> Bool {
        areAll || keys.withLock { keys in header.sealing.map { keys.contains($0.keyID) } ?? false }
    }
}
