// What a copy has of its original's beside the content.

internal import Glibc
internal import MAMModel
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

private let accessList = ByteString("system.posix_acl_access")

/// The second is what a directory gives to new files.
let accessLists = [accessList, ByteString("system.posix_acl_default")]

/// Replaces the directory's default ACL by the original's. False if the original has one that
/// cannot be copied: the group bits of its mode are then the ACL's mask, not the group's
/// permissions.
private func keepAccessList(
    named name: ByteString = accessList, of original: Descriptor, _ file: Descriptor
) -> Bool {
    guard let list = attribute(name, of: original) else {
        try? removeExtendedAttribute(of: file.raw, name.cString)
        return true
    }
    return (try? set(name, to: list, of: file)) != nil
}

func keepTimes(of source: stat, _ file: Descriptor) throws(Errno) {
    let times = [source.st_atim, source.st_mtim]
    _ = try retrying { futimens(file.raw, times) }
}

/// All of it, as far as the caller may and the file system can: vfat has neither modes nor
/// attributes, and a program that is one may know no chmod(2).
func keepAttributes(
    of source: stat, _ original: Descriptor, on copy: Descriptor
) throws(Errno) {
    keepUserAttributes(of: original, on: copy)
    let mode = try takeRights(of: source, original, copy)
    if source.st_mode & S_IFMT == S_IFDIR {
        _ = keepAccessList(named: accessLists[1], of: original, copy)
    }
    try keepTimes(of: source, copy)
    do throws(Errno) { try setMode(mode, of: copy, madeFrom: source) } catch {
        guard [.notImplemented, .notPermitted, .notSupported].contains(error) else { throw error }
    }
}

/// Those of programs, but none that mamd has made.
private func keepUserAttributes(of original: Descriptor, on copy: Descriptor) {
    for name in userAttributes(of: original) {
        guard let value = attribute(name, of: original) else { continue }
        try? set(name, to: value, of: copy)
    }
}

/// Their names.
func userAttributes(of file: Descriptor) -> [ByteString] {
    let names = upToTheLongest { room throws(Errno) in
        try withProcPath(of: file.raw) { path throws(Errno) in
            try listExtendedAttributes(path, into: room)
        }
    }
    return (names ?? []).split(separator: 0).map { ByteString(Array($0)) }.filter {
        $0.bytes.starts(with: "user.".utf8) && !$0.bytes.starts(with: "user.mam.".utf8)
    }
}

/// Nil if an open file has none.
func attribute(_ name: ByteString, of file: Descriptor) -> [UInt8]? {
    upToTheLongest { room throws(Errno) in
        try extendedAttribute(of: file.raw, name.cString, into: room)
    }
}

private func set(
    _ name: ByteString, to value: [UInt8], of file: Descriptor
) throws(Errno) {
    try value.span.bytes.withUnsafeBytes { bytes throws(Errno) in
        try setExtendedAttribute(of: file.raw, name.cString, to: bytes)
    }
}

/// What a call writes, which is at most a value's, or list's, longest length; nil if it fails.
private func upToTheLongest(
    _ call: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
) -> [UInt8]? {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { room.deallocate() }
    guard let count = try? call(room) else { return nil }
    return Array(room[..<count])
}
