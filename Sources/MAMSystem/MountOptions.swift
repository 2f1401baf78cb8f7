// The mount(8) options that mamd accepts.

internal import CShims

/// What a mount permits.
package struct MountOptions: Sendable {
    /// `allow_other`; an ordinary user's mount needs `user_allow_other` in /etc/fuse.conf.
    package var letsOthersIn: Bool
    package var isReadOnly: Bool
    /// `noexec`.
    package var forbidsPrograms: Bool
    package var accessTimes: AccessTimes
    package var rings: RingUse

    package init(
        letsOthersIn: Bool, isReadOnly: Bool, forbidsPrograms: Bool, accessTimes: AccessTimes,
        rings: RingUse
    ) {
        self.letsOthersIn = letsOthersIn
        self.isReadOnly = isReadOnly
        self.forbidsPrograms = forbidsPrograms
        self.accessTimes = accessTimes
        self.rings = rings
    }

    /// In the form of `mount -o`.
    package var words: [String] {
        (letsOthersIn ? ["allow_other"] : []) + (isReadOnly ? ["ro"] : [])
            + (forbidsPrograms ? ["noexec"] : [])
            // fusermount3 accepts none of the others.
            + (accessTimes.rule == .never ? ["noatime"] : [])
    }

    package var flags: Int {
        (letsOthersIn ? MAM_ALLOW_OTHER : 0) | (isReadOnly ? MAM_READ_ONLY : 0)
            | (forbidsPrograms ? MAM_NO_PROGRAMS : 0) | accessTimes.flags
    }
}

/// Whether requests arrive through io_uring.
package enum RingUse: Sendable {
    /// The default: where the kernel offers it.
    case whereOffered
    /// As above; if the kernel does not offer it, the mount's status says so.
    case asked
    case never
}

/// Which reads update access times, in the words of mount(8).
package struct AccessTimes: Sendable {
    fileprivate enum Rule { case always, ifOld, never }

    fileprivate var rule = Rule.ifOld
    private var skipsDirectories = false

    /// The default of mount(8).
    package init() {}

    /// False if the word is not about access times. The last word wins.
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
