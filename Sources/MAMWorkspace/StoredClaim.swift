// Evidence of who owns content, or will.

package import MAMModel
internal import MAMSystem
package import MAMVault

/// Something in the backing directory that determines an owner.
package enum StoredClaim {
    /// `path`: below the backing directory. `bytes`: the whole header as stored; nil if unreadable.
    case file(OwnedHeader, path: () -> ByteString, bytes: () -> [UInt8]?)
    /// A directory's default owner for new children, and the directory's user.
    case directory(Identity, user: UInt32)
}
