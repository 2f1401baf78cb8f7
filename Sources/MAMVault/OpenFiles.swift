// The files in use, whose keys a lock has to drop.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem

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
