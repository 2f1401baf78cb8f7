// The paths of a workspace's settings, secrets and socket.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// The directories of one user, or of the system, that contain a subdirectory per workspace.
package struct Places: Sendable, Equatable {
    package let configurationRoot: String
    package let stateRoot: String
    /// Contains the sockets.
    package let runtimeRoot: String
    /// The mode of ``runtimeRoot`` if it has to be created: the system's socket is for all users.
    package let runtimeMode: UInt32

    /// The directory of the system daemon's sockets, unless a variable overrides it.
    package static let systemRuntimeRoot = "/run/mamd"

    /// This process's places.
    package static var current: Places {
        Places(uid: geteuid()) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// Root uses the system's directories, other users the XDG ones. XDG variables that are set
    /// count for root too. As XDG requires, an empty or relative value counts as unset.
    package init(uid: UInt32, variable: (String) -> String?) {
        func directory(_ name: String, root: String, other: String) -> String {
            if let path = variable(name), path.hasPrefix("/") { return path + "/mamd" }
            return uid == 0 ? root : other
        }
        let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
        configurationRoot = directory(
            "XDG_CONFIG_HOME", root: "/etc/mamd", other: "\(home)/.config/mamd")
        stateRoot = directory(
            "XDG_STATE_HOME", root: "/var/lib/mamd", other: "\(home)/.local/state/mamd")
        runtimeRoot = directory(
            "XDG_RUNTIME_DIR", root: Self.systemRuntimeRoot, other: "/run/user/\(uid)/mamd")
        runtimeMode = runtimeRoot == Self.systemRuntimeRoot ? 0o755 : 0o700
    }

    /// The variable that says where this process's places are, and is no text: as text it would be
    /// another place. Nil if there is none.
    package static var unusableVariable: String? {
        unusableVariable(uid: geteuid()) { name in getenv(name).map { ByteString(cString: $0) } }
    }

    package static func unusableVariable(
        uid: UInt32, variable: (String) -> ByteString?
    ) -> String? {
        let own = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]
        let set = (own + ["XDG_RUNTIME_DIR"]).filter {
            variable($0)?.bytes.first == UInt8(ascii: "/")
        }
        let needsHome = uid != 0 && !own.allSatisfy(set.contains)
        return (set + (needsHome ? ["HOME"] : [])).first { name in
            variable(name).map { $0.text == nil } ?? false
        }
    }

    package static func reason(against variable: String) -> Message {
        "$\(variable) is not UTF-8, which paths of settings, keys and sockets have to be"
    }

    /// A workspace's settings and `policies/`.
    package func configuration(of name: WorkspaceName) -> String { "\(configurationRoot)/\(name)" }

    /// A workspace's device secret, keybags, timers and audit.
    package func state(of name: WorkspaceName) -> String { "\(stateRoot)/\(name)" }

    /// The socket of a workspace whose daemon this user runs.
    package func socket(of name: WorkspaceName) -> String { "\(runtimeRoot)/\(name).sock" }
}

/// A workspace's name: a directory's name, a mount's source and part of a socket's path.
package struct WorkspaceName: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package static let maximumByteCount = 64

    /// 1 to 64 ASCII letters, digits, `.`, `_` and `-`; the first not `.` or `-`.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumByteCount).contains(bytes.count), bytes.allSatisfy(Self.isAllowed),
            let first = bytes.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
        else { return nil }
        description = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
