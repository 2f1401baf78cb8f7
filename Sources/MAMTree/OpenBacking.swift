// Opening a regular backing file, whatever its mode says.

package import Glibc
package import MAMSystem

/// Opens a regular file that the kernel has let the caller open.
///
/// An ordinary user's daemon may need more than the mode gives even its owner: a file of mode 0200
/// is written in blocks whose rest has to be read, and one of mode 0 has a header that tells its
/// size. For the moment of opening the owner gets both rights.
///
/// What is read through it is no access of the user's: headers, and the rest of blocks that are
/// written.
package func openBacking(_ handle: Descriptor, _ access: Int32) throws(Errno) -> Descriptor {
    let flags = access | O_NOCTTY | O_NONBLOCK
    return try withOwnerRights(to: handle) { path throws(Errno) in
        do throws(Errno) {
            return try openFile(procPath: path, flags | openWithoutAccessTime)
        } catch {
            // Only its owner may ask for that.
            guard error == .notPermitted else { throw error }
            return try openFile(procPath: path, flags)
        }
    }
}

/// Runs a call on the path of a file or directory, and again with the rights to read and write if
/// the mode does not give them to its owner, who is us.
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

/// chmod(2) for a caller; never in the middle of the above.
package func changeMode(_ handle: Descriptor, to mode: mode_t) throws(Errno) {
    try modes.exclusive { () throws(Errno) in
        try withProcPath(of: handle.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode) }
        }
    }
}

/// What the kernel does to a file when somebody without privileges writes to it: no set-user-ID
/// bit, and a set-group-ID bit only for a member of the group, on what the group may not execute
/// (`setattr_should_drop_suidgid()`). True if one had to go.
package func clearSetIDBits(
    _ handle: Descriptor, unless isMember: (gid_t) -> Bool
) throws(Errno) -> Bool {
    try modes.exclusive { () throws(Errno) in
        // What was seen without the lock may be a temporary mode, or one that a caller has changed
        // since.
        let status = try status(at: handle.raw, "")
        let kept = withoutSetIDBits(status, unless: isMember)
        guard kept != status.st_mode & 0o7777 else { return false }
        try withProcPath(of: handle.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, kept) }
        }
        return true
    }
}

package func hasSetIDBits(_ handle: Descriptor) throws(Errno) -> Bool {
    try status(at: handle.raw, "").st_mode & (S_ISUID | S_ISGID) != 0
}

private func withoutSetIDBits(_ status: stat, unless isMember: (gid_t) -> Bool) -> mode_t {
    let kept = status.st_mode & 0o7777 & ~S_ISUID
    guard kept & S_ISGID != 0 else { return kept }
    let staysWithGroup = kept & S_IXGRP == 0 && isMember(status.st_gid)
    return staysWithGroup ? kept : kept & ~S_ISGID
}

/// Held while a mode changes, so that a temporary one is never taken for the file's own.
private let modes = ReadWriteLock()
