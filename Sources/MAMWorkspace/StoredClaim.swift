// What says whose content is, or will be.

package import MAMModel
package import MAMSystem
package import MAMVault

/// What in the backing directory says whose content is, or will be.
package enum StoredClaim {
    /// `path`: below the backing directory. `bytes`: the whole header, as it is there; nil if it
    /// cannot be read.
    case file(OwnedHeader, path: () -> ByteString, bytes: () -> [UInt8]?)
    /// The default owner of what is made in a directory, and the user whose the directory is.
    case directory(Identity, user: UInt32)
}
