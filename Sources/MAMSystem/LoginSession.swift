// Where somebody sits: what was started there belongs together.

/// A login session of a user: logind's, the user's own service manager's, or with neither a session
/// of the kernel's.
package struct LoginSession: Sendable, Hashable {
    package let user: UInt32
    /// Such as `session-3.scope`, `user@1000.service` or `sid-4711`.
    package let name: String

    /// Of the session that a process runs in. A process that has ended has one with all others of
    /// its user's.
    package init(of process: Int32, user: UInt32) {
        self.user = user
        let path = "/proc/\(process)/cgroup"
        let bytes = (try? readSmallFile(path, maximumByteCount: 16 << 10)) ?? []
        name =
            Self.unit(in: bytes)
            ?? ProcessStatus(of: process).map { "sid-\($0.session)" } ?? "none"
    }

    /// The first unit of systemd's in a list of control groups that stands for a login. Programs of
    /// a desktop run below their user's manager, which all graphical sessions of a user share.
    static func unit(in groups: [UInt8]) -> String? {
        let words = groups.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\n") }
        return words.lazy.map { String(decoding: $0, as: UTF8.self) }.first { word in
            word.hasPrefix("session-") && word.hasSuffix(".scope")
                || word.hasPrefix("user@") && word.hasSuffix(".service")
        }
    }
}
