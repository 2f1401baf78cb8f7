// Identifies the files that the kernel caches.

package import MAMFormat
package import MAMVault

/// What decides whether the kernel's cache of a file has to go. Reading it takes no lock that is
/// held across a system call on the backing file, because the disk may hang.
package enum CachedFile: Sendable {
    case open(VaultFile)
    /// Its header when last read; nil for a file without one.
    case closed(FileHeader?)

    package var isOpen: Bool { if case .open = self { true } else { false } }
}
