// Converts SETATTR requests.

internal import CFuse3
internal import Glibc
internal import MAMWorkspace

extension AttributeChange {
    /// `valid`: which attributes to set, as `FUSE_SET_ATTR_*`.
    init(_ new: stat, valid: Int32) {
        self.init()
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
}
