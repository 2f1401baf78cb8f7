// The modes that a call sets, or that it leaves: what the kernel does of itself on a disk, but not
// for a file system in user space.

internal import CShims
package import Glibc
package import MAMModel
package import MAMSystem

/// chmod(2) for a caller; excludes the temporary modes of ``withOwnerRights``.
package func changeMode(_ handle: Descriptor, to mode: mode_t) throws(Errno) {
    try modes.exclusive { () throws(Errno) in
        try withProcPath(of: handle.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode) }
        }
    }
}

/// What the kernel does when a program without CAP_FSETID writes: removes the set-user-ID bit, and
/// the set-group-ID bit unless the group may not execute the file and the caller is a member
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

/// Writes what is no change of the content, such as a header: set-id bits stay, which the kernel
/// removes at a write by an ordinary user. Meanwhile no mode changes.
package func keepingSetIDBits<Failure: Error>(
    of handle: Descriptor, _ write: () throws(Failure) -> Void
) throws(Failure) {
    guard (try? hasSetIDBits(handle)) == true else { return try write() }
    try modes.exclusive { () throws(Failure) in
        let mode = (try? status(at: handle.raw, ""))?.st_mode
        defer {
            if let mode {
                try? withProcPath(of: handle.raw) { path throws(Errno) in
                    _ = try retrying { chmod(path, mode & 0o7777) }
                }
            }
        }
        try write()
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

/// chown(2) for a caller: takes bits that only the owner of the file, or a caller with CAP_FOWNER,
/// may take. The bits go as ``modeAfterChown(_:to:unless:)`` says.
package func changeOwner(
    _ handle: Descriptor, user: uid_t, group: gid_t, for caller: Caller
) throws(Errno) {
    try modes.exclusive { () throws(Errno) in
        let status = try status(at: handle.raw, "")
        let mode = status.st_mode & 0o7777
        let kept = modeAfterChown(status, to: group) { group in
            caller.isMember(of: group) || caller.has(.setSetIDBits)
        }
        guard kept == mode || caller.user == status.st_uid || caller.has(.actAsOwner) else {
            throw .notPermitted
        }
        let flags = Int32(MAM_EMPTY_PATH) | AT_SYMLINK_NOFOLLOW
        _ = try retrying { fchownat(handle.raw, "", user, group, flags) }
        // What the kernel leaves to us, who may set it.
        guard mode & ~kept & S_ISGID != 0, mode & S_IXGRP == 0 else { return }
        try withProcPath(of: handle.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, kept) }
        }
    }
}

/// `setattr_should_drop_sgid()`, and what `setattr_prepare()` does where the mode changes.
private func modeAfterChown(
    _ status: stat, to group: gid_t, unless mayKeepFor: (gid_t) -> Bool
) -> mode_t {
    let mode = status.st_mode & 0o7777
    guard status.st_mode & S_IFMT != S_IFDIR, mode & (S_ISUID | S_ISGID) != 0 else { return mode }
    let kept = withoutSetIDBits(status, unless: mayKeepFor)
    guard kept != mode, kept & S_ISGID != 0, group != .max, !mayKeepFor(group) else { return kept }
    return kept & ~S_ISGID
}
