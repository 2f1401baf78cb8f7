// Opens a regular backing file regardless of its mode.

package import Glibc
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

/// chmod(2) for a caller; excludes the temporary modes above.
package func changeMode(_ handle: Descriptor, to mode: mode_t) throws(Errno) {
    try modes.exclusive { () throws(Errno) in
        try withProcPath(of: handle.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode) }
        }
    }
}

/// What the kernel does when an unprivileged program writes: removes the set-user-ID bit, and the
/// set-group-ID bit unless the group may not execute the file and the caller is a member
/// (`setattr_should_drop_suidgid()`). True if a bit was removed.
package func clearSetIDBits(
    _ handle: Descriptor, unless isMember: (gid_t) -> Bool
) throws(Errno) -> Bool {
    try modes.exclusive { () throws(Errno) in
        // The mode seen without the lock may be temporary, or outdated.
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

/// Held while a mode changes, so that a temporary mode is never taken for the real one.
private let modes = ReadWriteLock()
