// Whose a file says it is, and whose it is on the disk.

package import MAMFormat

/// A protected file's header, and the user whose the file is in the backing directory.
package struct OwnedHeader: Sendable {
    package let header: FileHeader
    package let user: UInt32

    package init(_ header: FileHeader, user: UInt32) {
        self.header = header
        self.user = user
    }
}
