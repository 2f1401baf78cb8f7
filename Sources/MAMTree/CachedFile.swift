// Of which file the kernel has something cached.

package import MAMFormat
package import MAMVault

/// A file of the mount, as far as it matters for what the kernel has cached of it. Telling which
/// needs no lock that is held over a system call on the backing file, for the disk may hang.
package enum CachedFile: Sendable {
    case open(VaultFile)
    /// Its header as it was last seen; nil for a file without one.
    case closed(FileHeader?)

    package var isOpen: Bool { if case .open = self { true } else { false } }
}
