// Access times of files that are read.

internal import MAMStore
internal import MAMSystem

extension VaultFile {
    /// Updates the access time if the backing file system's rules require it.
    package func noteAccess() { moveAccessTime(of: stored.descriptor) }
}
