// Whether reads update access times, and updating them by hand.

internal import CShims
package import Glibc
package import MAMModel
internal import Synchronization

/// How reads update access times: the mount options of both the backing directory and the
/// workspace, combined. A remount can change them, so they are read again every second.
package final class AccessTimeRule: Sendable {
    private let backing: Descriptor
    private let mountPoint: ByteString
    /// The second in which the flags were read, times 32, plus the rules.
    private let known = Atomic<Int64>(.min)

    /// A larger value updates less often.
    private enum Rule: Int64 {
        case always, ifOld, never
    }

    private struct Rules {
        var files: Rule
        var directories: Rule
        /// True if the kernel's own updates on the backing mount are right for directories.
        var areKernels: Bool

        init(files: Rule, directories: Rule, areKernels: Bool) {
            self.files = files
            self.directories = directories
            self.areKernels = areKernels
        }

        /// Nil for values that ``packed`` never returns.
        init?(packed: Int64) {
            guard let files = Rule(rawValue: packed & 3),
                let directories = Rule(rawValue: packed >> 2 & 3)
            else { return nil }
            self.init(files: files, directories: directories, areKernels: packed & 16 != 0)
        }

        var packed: Int64 {
            files.rawValue | directories.rawValue << 2 | (areKernels ? 16 : 0)
        }
    }

    /// `backing`: any file of the backing mount. `mountPoint`: where the workspace is mounted, or
    /// any path if it is not.
    package init(of backing: Descriptor, shownAt mountPoint: ByteString) {
        self.backing = backing
        self.mountPoint = mountPoint
    }

    /// False if reading a file with this status would not update its access time, as far as the
    /// status alone tells.
    package func moves(_ status: @autoclosure () -> stat?) -> Bool {
        let now = coarseNow()
        return Self.moves(by: rules(at: Int64(now.tv_sec)).files, status, now)
    }

    /// The same for listing a directory.
    package func movesOfDirectory(_ status: @autoclosure () -> stat?) -> Bool {
        let now = coarseNow()
        let rules = rules(at: Int64(now.tv_sec))
        return rules.areKernels || Self.moves(by: rules.directories, status, now)
    }

    private func coarseNow() -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return now
    }

    private static func moves(by rule: Rule, _ status: () -> stat?, _ now: timespec) -> Bool {
        switch rule {
        case .always: true
        case .never: false
        case .ifOld: status().map { isOld($0, now) } ?? true
        }
    }

    private func rules(at second: Int64) -> Rules {
        let value = known.load(ordering: .relaxed)
        if value >> 5 == second, let rules = Rules(packed: value & 31) { return rules }
        let rules = askedRules
        known.store(second << 5 | rules.packed, ordering: .relaxed)
        return rules
    }

    private var askedRules: Rules {
        let (below, above) = (backingRules, mountRules)
        let files = below.files.rawValue > above.files.rawValue ? below.files : above.files
        let directories =
            below.directories.rawValue > above.directories.rawValue
            ? below.directories : above.directories
        return Rules(
            files: files, directories: directories,
            areKernels: directories == below.directories)
    }

    private var backingRules: Rules {
        var found = statvfs()
        guard fstatvfs(backing.raw, &found) == 0 else {
            return Rules(files: .always, directories: .always, areKernels: true)
        }
        let flags = Int(found.f_flag)
        return Self.rules(
            isNever: flags & MAM_NO_ACCESS_TIME != 0,
            isIfOld: flags & MAM_RELATIVE_ACCESS_TIME != 0,
            skipsDirectories: flags & MAM_NO_DIRECTORY_ACCESS_TIME != 0)
    }

    /// From the kernel's mount table: statvfs(2) on our own mount would send us a request.
    private var mountRules: Rules {
        guard let mount = try? MountTable().mount(at: mountPoint.bytes),
            mount.type == Mount.workspaceType
        else { return Rules(files: .always, directories: .always, areKernels: true) }
        let words = mount.options.split(whereSeparator: { $0 == "," || $0 == " " })
        return Self.rules(
            isNever: words.contains("noatime"), isIfOld: words.contains("relatime"),
            skipsDirectories: words.contains("nodiratime"))
    }

    private static func rules(isNever: Bool, isIfOld: Bool, skipsDirectories: Bool) -> Rules {
        let rule: Rule = isNever ? .never : isIfOld ? .ifOld : .always
        return Rules(
            files: rule, directories: skipsDirectories ? .never : rule, areKernels: true)
    }

    /// The kernel's relatime_need_update(): not read since the last change, or not for a day.
    private static func isOld(_ status: stat, _ now: timespec) -> Bool {
        let read = status.st_atim
        return !isBefore(status.st_mtim, read) || !isBefore(status.st_ctim, read)
            || now.tv_sec - read.tv_sec >= 24 * 60 * 60
    }

    private static func isBefore(_ one: timespec, _ other: timespec) -> Bool {
        (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
    }
}

/// Reads one byte so that the file system updates the access time, through a descriptor opened with
/// `O_NOATIME`. Concurrent readers through the same descriptor update it to the same time.
package func moveAccessTime(of file: Descriptor) {
    var byte: UInt8 = 0
    _ = mam_set_status_flags(file.raw, O_NONBLOCK)
    _ = pread(file.raw, &byte, 1, 0)
    // Fails if we do not own the file: then it was opened without the flag.
    _ = mam_set_status_flags(file.raw, O_NONBLOCK | openWithoutAccessTime)
}
