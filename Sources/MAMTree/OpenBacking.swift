// Opens a regular backing file regardless of its mode.

internal import Glibc
package import MAMModel
package import MAMSystem

/// Opens a regular file that the kernel has let the caller open.
///
/// An ordinary user's daemon may need more than the mode gives the owner: writing to a file of mode
/// 0200 reads the rest of its blocks, and even a file of mode 0 has a header that determines its
/// size. So the owner temporarily gets both rights.
///
/// Reads do not update the access time: they are for headers and the rest of written blocks.
package func openBacking(_ handle: Descriptor, _ access: Int32) throws(Errno) -> Descriptor {
    let flags = access | O_NOCTTY | O_NONBLOCK
    return try withOwnerRights(to: handle) { path throws(Errno) in
        do throws(Errno) {
            return try openFile(procPath: path, flags | openWithoutAccessTime)
        } catch {
            // `O_NOATIME` is refused to all but the owner.
            guard error == .notPermitted else { throw error }
            return try openFile(procPath: path, flags)
        }
    }
}

/// Makes a call on the path of a file or directory; if the mode denies it to us, the owner, tries
/// again with read and write rights added.
package func withOwnerRights<Value>(
    to handle: Descriptor, _ call: (UnsafePointer<CChar>) throws(Errno) -> Value
) throws(Errno) -> Value {
    try withProcPath(of: handle.raw) { path throws(Errno) in
        do throws(Errno) { return try call(path) } catch {
            guard error == .accessDenied else { throw error }
            return try modes.exclusive { () throws(Errno) in
                let status = try status(at: handle.raw, "")
                guard status.st_uid == geteuid() else { throw error }
                let mode = status.st_mode & 0o7777
                _ = try retrying { chmod(path, mode | 0o600) }
                defer { chmod(path, mode) }
                return try call(path)
            }
        }
    }
}

/// Held while a mode changes, so that a temporary mode is never taken for the real one.
let modes = ReadWriteLock()
