// Groups processes by login session.

internal import MAMModel

/// A user's login session: logind's, else the user's service manager, else the kernel's session.
package struct LoginSession: Sendable, Hashable {
    package let user: UInt32
    /// Such as `session-3.scope`, `user@1000.service` or `sid-4711`.
    package let name: String

    /// The session of a process. All processes of a user that have ended share one.
    package init(of process: Int32, user: UInt32) {
        self.user = user
        let path = "/proc/\(process)/cgroup"
        let bytes = (try? readSmallFile(path, maximumByteCount: 16 << 10)) ?? []
        name =
            Self.unit(in: bytes)
            ?? ProcessStatus(of: process).map { "sid-\($0.session)" } ?? "none"
    }

    /// The first systemd unit in a list of control groups that stands for a login. Desktop programs
    /// run below the user's manager, which all graphical sessions of a user share.
    static func unit(in groups: [UInt8]) -> String? {
        let words = groups.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\n") }
        return words.lazy.map { String(decoding: $0, as: UTF8.self) }.first { word in
            word.hasPrefix("session-") && word.hasSuffix(".scope")
                || word.hasPrefix("user@") && word.hasSuffix(".service")
        }
    }
}
