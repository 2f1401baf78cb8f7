// A file's owner in its header, and its owner on disk.

package import MAMFormat

/// A protected file's header, and the user that owns it in the backing directory.
package struct OwnedHeader: Sendable {
    package let header: FileHeader
    package let user: UInt32

    package init(_ header: FileHeader, user: UInt32) {
        self.header = header
        self.user = user
    }
}
