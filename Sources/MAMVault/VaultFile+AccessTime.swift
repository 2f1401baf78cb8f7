// A file that is opened to be read.

internal import MAMStore
internal import MAMSystem

extension VaultFile {
    /// Moves the access time, as the file system below thinks right.
    package func noteAccess() { moveAccessTime(of: stored.descriptor) }
}
