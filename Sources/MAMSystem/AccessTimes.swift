// Whether reading a file moves its access time, and moving it.

internal import CShims
package import Glibc
internal import Synchronization

/// What the kernel does with access times on one mount. A remount can change it, so it is asked for anew every second.
package final class AccessTimeRule: Sendable {
    private let mount: Descriptor
    /// The second in which the flags were asked for, times 4, and the rule.
    private let known = Atomic<Int64>(.min)

    private enum Rule: Int64 {
        case always, ifOld, never
    }

    /// `mount`: any file on it.
    package init(of mount: Descriptor) { self.mount = mount }

    /// False if reading a file of this status would leave its access time as it is, as far as that can be told without
    /// reading it.
    package func moves(_ status: @autoclosure () -> stat?) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        switch rule(at: Int64(now.tv_sec)) {
        case .always: return true
        case .never: return false
        case .ifOld: return status().map { Self.isOld($0, now) } ?? true
        }
    }

    private func rule(at second: Int64) -> Rule {
        let value = known.load(ordering: .relaxed)
        if value >> 2 == second, let rule = Rule(rawValue: value & 3) { return rule }
        let rule = askedRule
        known.store(second << 2 | rule.rawValue, ordering: .relaxed)
        return rule
    }

    private var askedRule: Rule {
        var found = statvfs()
        guard fstatvfs(mount.raw, &found) == 0 else { return .always }
        let flags = Int(found.f_flag)
        if flags & MAM_NO_ACCESS_TIME != 0 { return .never }
        return flags & MAM_RELATIVE_ACCESS_TIME != 0 ? .ifOld : .always
    }

    /// relatime_need_update() of the kernel: not read since the last change, or for a day.
    private static func isOld(_ status: stat, _ now: timespec) -> Bool {
        let read = status.st_atim
        return !isBefore(status.st_mtim, read) || !isBefore(status.st_ctim, read)
            || now.tv_sec - read.tv_sec >= 24 * 60 * 60
    }

    private static func isBefore(_ one: timespec, _ other: timespec) -> Bool {
        (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
    }
}

/// Reads a byte so that the access time moves, as the file system thinks right, through a descriptor that else leaves
/// it (`O_NOATIME`). Others may read through it meanwhile: for them it moves to the same time.
package func moveAccessTime(of file: Descriptor) {
    var byte: UInt8 = 0
    _ = mam_set_status_flags(file.raw, O_NONBLOCK)
    _ = pread(file.raw, &byte, 1, 0)
    // Not for who does not own the file: it was opened without the flag then.
    _ = mam_set_status_flags(file.raw, O_NONBLOCK | openWithoutAccessTime)
}
