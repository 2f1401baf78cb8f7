// The options of mount(8) that mamd takes.

internal import CShims

/// What may be done in a mount.
package struct MountOptions: Sendable {
    /// Other users have access; an ordinary user's mount needs `user_allow_other` in
    /// /etc/fuse.conf.
    package var letsOthersIn: Bool
    package var isReadOnly: Bool
    /// No file in it is run as a program: `noexec`.
    package var forbidsPrograms: Bool
    package var accessTimes: AccessTimes
    /// Requests come through io_uring, if the kernel offers that.
    package var usesRing: Bool

    package init(
        letsOthersIn: Bool, isReadOnly: Bool, forbidsPrograms: Bool, accessTimes: AccessTimes,
        usesRing: Bool
    ) {
        self.letsOthersIn = letsOthersIn
        self.isReadOnly = isReadOnly
        self.forbidsPrograms = forbidsPrograms
        self.accessTimes = accessTimes
        self.usesRing = usesRing
    }

    /// As `mount -o` takes them.
    package var words: [String] {
        (letsOthersIn ? ["allow_other"] : []) + (isReadOnly ? ["ro"] : [])
            + (forbidsPrograms ? ["noexec"] : [])
            // fusermount3 knows none of the others.
            + (accessTimes.rule == .never ? ["noatime"] : [])
    }

    package var flags: Int {
        (letsOthersIn ? MAM_ALLOW_OTHER : 0) | (isReadOnly ? MAM_READ_ONLY : 0)
            | (forbidsPrograms ? MAM_NO_PROGRAMS : 0) | accessTimes.flags
    }
}

/// Which reads move access times, by the words of mount(8).
package struct AccessTimes: Sendable {
    fileprivate enum Rule { case always, ifOld, never }

    fileprivate var rule = Rule.ifOld
    private var skipsDirectories = false

    /// The default of mount(8).
    package init() {}

    /// False for a word that is about something else. The last word counts.
    package mutating func take(_ word: Substring) -> Bool {
        switch word {
        case "noatime": rule = .never
        case "relatime", "atime", "nostrictatime": rule = .ifOld
        case "strictatime", "norelatime": rule = .always
        case "nodiratime": skipsDirectories = true
        case "diratime": skipsDirectories = false
        default: return false
        }
        return true
    }

    fileprivate var flags: Int {
        let flag = [Rule.never: MAM_NOATIME, .always: MAM_STRICTATIME, .ifOld: 0][rule] ?? 0
        return flag | (skipsDirectories ? MAM_NODIRATIME : 0)
    }
}
