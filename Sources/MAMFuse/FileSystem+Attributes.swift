// Changing modes, owners, sizes and times.

internal import CFuse3
internal import CShims
internal import Glibc
internal import MAMSystem
internal import MAMVault
internal import Synchronization

/// The attributes that one request changes.
struct AttributeChange {
    var mode: mode_t?
    var user: uid_t?
    var group: gid_t?
    var size: Int64?
    var access: timespec?
    var modification: timespec?

    init(_ new: stat, valid: Int32) {
        func isSet(_ flag: Int32) -> Bool { valid & flag != 0 }
        if isSet(FUSE_SET_ATTR_MODE) { mode = new.st_mode & 0o7777 }
        if isSet(FUSE_SET_ATTR_UID) { user = new.st_uid }
        if isSet(FUSE_SET_ATTR_GID) { group = new.st_gid }
        if isSet(FUSE_SET_ATTR_SIZE) { size = Int64(new.st_size) }
        if isSet(FUSE_SET_ATTR_ATIME_NOW) {
            access = timespec(tv_sec: 0, tv_nsec: utimeNow)
        } else if isSet(FUSE_SET_ATTR_ATIME) {
            access = new.st_atim
        }
        if isSet(FUSE_SET_ATTR_MTIME_NOW) {
            modification = timespec(tv_sec: 0, tv_nsec: utimeNow)
        } else if isSet(FUSE_SET_ATTR_MTIME) {
            modification = new.st_mtim
        }
    }

    /// As the kernel sends it of its own accord.
    var isModificationOnly: Bool {
        modification != nil && modification?.tv_nsec != utimeNow && access == nil && mode == nil
            && user == nil && group == nil && size == nil
    }
}

/// `UTIME_NOW`, from <bits/stat.h>.
private let utimeNow = (1 << 30) - 1

extension FileSystem {
    func change(
        _ node: UInt64, _ handle: OpenHandle?, _ new: AttributeChange, for caller: Caller
    ) throws(Errno) -> Entry {
        let inode = try table.inode(node)
        if let status = try statusOfGone(inode, new) { return entry(inode, status) }
        if new.mode != nil, probes.isWaiting(caller.thread) { throw .notSupported }
        // The size first: it is what can be refused, and a refused request should change nothing.
        if let size = new.size {
            try truncate(node, handle, to: size, for: caller)
            try clearSetIDBits(inode, for: caller)
        }
        if new.user != nil || new.group != nil {
            try changeOwner(inode, user: new.user ?? .max, group: new.group ?? .max)
        }
        if let mode = new.mode { try changeMode(inode, to: mode) }
        if new.access != nil || new.modification != nil {
            do throws(Errno) { try changeTimes(inode, new) } catch {
                // Of a new size the kernel must hear: it would go on with the old one.
                if new.size == nil { throw error }
            }
        }
        return try entry(inode)
    }

    /// With a file's last name the kernel sends the time of that. It keeps such times itself, and when it has forgotten the file
    /// nobody can find it any more: nothing needs to be written. Nil if something has to be done.
    private func statusOfGone(_ inode: Inode, _ new: AttributeChange) throws(Errno) -> stat? {
        guard new.isModificationOnly, inode.isRegular, !inode.isInUse.load(ordering: .relaxed)
        else { return nil }
        let status = try status(at: inode.handle.raw, "")
        return status.st_nlink == 0 ? status : nil
    }

    /// What the kernel leaves to us: who changes a file's content without being root takes its set-id bits away. It does not
    /// ask for the mode then, which a program that is started would have from it.
    func clearSetIDBits(_ inode: Inode, for caller: Caller) throws(Errno) {
        // Nearly none has any, and this is asked at each write.
        guard caller.user != 0, try hasSetIDBits(inode.handle) else { return }
        let hadSome = try metadata.shared { () throws(Errno) in
            try MAMFuse.clearSetIDBits(inode.handle, unless: caller.isMember)
        }
        if hadSome { purgeQueue.add(inode) }
    }

    func changeMode(_ inode: Inode, to mode: mode_t) throws(Errno) {
        try metadata.shared { () throws(Errno) in
            try MAMFuse.changeMode(inode.handle, to: mode)
        }
    }

    private func truncate(
        _ node: UInt64, _ handle: OpenHandle?, to size: Int64, for caller: Caller
    ) throws(Errno) {
        do throws(Errno) {
            try withFile(of: node, handle, for: caller) { file throws(VaultError) in
                try file.truncate(to: size)
            }
        } catch {
            guard error == .badMessage, size == 0 else { throw error }
            // Of a file that cannot even be opened nothing is left but its name: it is begun anew.
            let handle = try open(node, flags: O_RDWR | O_TRUNC, for: caller)
            // No question follows, as it does after an open(2).
            handle.inode.withState { _ = $0.writeGuard.endsTruncation(of: caller.thread) }
            release(handle)
        }
    }

    private func changeOwner(_ inode: Inode, user: uid_t, group: gid_t) throws(Errno) {
        let flags = Int32(MAM_EMPTY_PATH) | AT_SYMLINK_NOFOLLOW
        try metadata.shared { () throws(Errno) in
            _ = try retrying { fchownat(inode.handle.raw, "", user, group, flags) }
        }
    }

    private func changeTimes(_ inode: Inode, _ new: AttributeChange) throws(Errno) {
        let omitted = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        let times = [new.access ?? omitted, new.modification ?? omitted]
        // Not while a header is rewritten, which puts the time back that it found.
        try inode.withState { _ throws(Errno) in
            try metadata.shared { () throws(Errno) in
                _ = try retrying { utimensat(inode.handle.raw, "", times, Int32(MAM_EMPTY_PATH)) }
            }
        }
    }
}
