// What a copy has of its original's beside the content.

internal import Glibc
internal import MAMSystem

/// Copies the owner and ACL; returns the mode to set.
func takeRights(
    of source: stat, _ original: Descriptor, _ file: Descriptor
) throws(Errno) -> mode_t {
    keepOwner(of: source, file)
    let isListKept = keepAccessList(of: original, file)
    let isGroupKept = try status(of: file.raw).st_gid == source.st_gid
    guard !isListKept || !isGroupKept else { return source.st_mode }
    // Give the group no more than others.
    return source.st_mode & (~0o070 | (source.st_mode & 0o007) << 3)
}

/// Drops set-user-id bits if the owner changes: another user's program must not run with our
/// rights.
func setMode(_ mode: mode_t, of file: Descriptor, madeFrom source: stat) throws(Errno) {
    let made = try status(of: file.raw)
    let isSameOwner = made.st_uid == source.st_uid && made.st_gid == source.st_gid
    let bits: mode_t = isSameOwner ? 0o7777 : 0o1777
    _ = try retrying { fchmod(file.raw, mode & bits) }
}

/// Copies the owner and group as far as permitted. A failure is ignored: we could read the content
/// anyway.
private func keepOwner(of source: stat, _ file: Descriptor) {
    if fchown(file.raw, source.st_uid, source.st_gid) != 0 {
        _ = fchown(file.raw, uid_t.max, source.st_gid)
    }
}

/// Replaces the directory's default ACL by the original's. False if the original has one that
/// cannot be copied: the group bits of its mode are then the ACL's mask, not the group's
/// permissions.
private func keepAccessList(of original: Descriptor, _ file: Descriptor) -> Bool {
    let name = "system.posix_acl_access"
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { room.deallocate() }
    let count = try? withProcPath(of: original.raw) { path throws(Errno) in
        try extendedAttribute(path, name, into: room)
    }
    let isKept: Void? = try? withProcPath(of: file.raw) { path throws(Errno) in
        guard let count else {
            try? removeExtendedAttribute(path, name)
            return
        }
        try setExtendedAttribute(path, name, to: .init(rebasing: room[..<count]))
    }
    return isKept != nil
}

func keepTimes(of source: stat, _ file: Descriptor) throws(Errno) {
    let times = [source.st_atim, source.st_mtim]
    _ = try retrying { futimens(file.raw, times) }
}

/// All of it, as far as the caller may and the file system can: vfat has neither modes nor
/// attributes.
func keepAttributes(
    of source: stat, _ original: Descriptor, on copy: Descriptor
) throws(Errno) {
    keepUserAttributes(of: original, on: copy)
    let mode = try takeRights(of: source, original, copy)
    try keepTimes(of: source, copy)
    do throws(Errno) { try setMode(mode, of: copy, madeFrom: source) } catch {
        guard error == .notPermitted || error == .notSupported else { throw error }
    }
}

/// Those of programs, but none that mamd has made.
private func keepUserAttributes(of original: Descriptor, on copy: Descriptor) {
    let limit = 65_536
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * limit, alignment: 16)
    defer { room.deallocate() }
    let names = UnsafeMutableRawBufferPointer(rebasing: room[..<limit])
    let value = UnsafeMutableRawBufferPointer(rebasing: room[limit...])
    let count = try? withProcPath(of: original.raw) { path throws(Errno) in
        try listExtendedAttributes(path, into: names)
    }
    for name in names[..<(count ?? 0)].split(separator: 0).map({ ByteString(Array($0)) })
    where name.bytes.starts(with: "user.".utf8) && !name.bytes.starts(with: "user.mam.".utf8) {
        let found = try? extendedAttribute(of: original.raw, name.cString, into: value)
        guard let found else { continue }
        try? setExtendedAttribute(of: copy.raw, name.cString, to: .init(rebasing: value[..<found]))
    }
}
