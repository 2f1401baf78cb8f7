// Where contained programs keep what they scatter: settings, caches, histories, temporary files.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A directory of the account's in the workspace, `.contained-UID/ACCOUNT`. What is in it is sealed
/// and wiped with the account.
struct ContainedHome {
    private let path: ByteString
    private let temporary: ByteString

    /// Directories, by the variable that names them to programs.
    private static let directories = [
        "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state",
        "XDG_DATA_HOME": "data", "PYTHONPYCACHEPREFIX": "cache",
    ]

    private static let temporaries = ["TMPDIR", "TMP", "TEMP"]

    /// Emacs keeps its files in the home directory unless it has one of these.
    private static let expected = ["config/emacs"]

    /// Files that programs would keep in the home directory.
    private static let files = [
        "HISTFILE": "state/shell", "LESSHISTFILE": "state/less", "PYTHON_HISTORY": "state/python",
        "NODE_REPL_HISTORY": "state/node", "SQLITE_HISTORY": "state/sqlite",
    ]

    /// The session's services run outside, and would write there.
    private static let others = [
        "DBUS_SESSION_BUS_ADDRESS": "disabled:", "GSETTINGS_BACKEND": "memory",
        "GIO_USE_VFS": "local", "GTK_USE_PORTAL": "0", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none",
        "DCONF_PROFILE": "/dev/null",
    ]

    /// Makes what is missing.
    init(in workspace: ByteString, of account: String) throws(Failure) {
        let home = SealedHome(of: account, user: getuid())
        path = workspace.appending(ByteString(home.path))
        temporary = Self.temporary(in: workspace, home)
        try Self.make(path.directory)
        try Self.make(path)
        try Self.make(temporary)
        for directory in Set(Self.directories.values).union(["state"]).sorted() + Self.expected {
            try Self.make(path.appending(ByteString(directory)))
        }
    }

    /// In the home, unless the names of workspace and account are so long that a socket in a
    /// directory there had no room in its address, for want of which Chromium ends.
    private static func temporary(in workspace: ByteString, _ home: SealedHome) -> ByteString {
        let socket = "/org.chromium.Chromium.XXXXXX/SingletonSocket".utf8.count
        let paths = home.paths(of: .tmp).map { workspace.appending(ByteString($0)) }
        // The address ends with a zero.
        let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 - socket
        return paths.first { $0.bytes.count <= room } ?? paths[0]
    }

    /// Another user's directory would be read and changed by that user.
    private static func make(_ directory: ByteString) throws(Failure) {
        if mkdir(directory.cString, 0o700) != 0, Errno.current != .exists {
            let error = Errno.current
            throw Failure(
                directory, error,
                next: error == .accessDenied
                    ? "as root: install -d -m 0700 -o \(getuid()) \(directory.asArgument)" : nil)
        }
        var found = stat()
        guard lstat(directory.cString, &found) == 0 else { throw Failure(directory, .current) }
        guard found.st_mode & S_IFMT == S_IFDIR, found.st_uid == getuid(),
            found.st_mode & 0o077 == 0
        else {
            throw Failure(
                .refused, "\(directory.shown) is not a directory of your own alone",
                next: "remove it, or: chmod 0700 \(directory.asArgument)")
        }
    }

    /// Names it to the programs that this process starts.
    func enter() {
        for (variable, name) in Self.directories.merging(Self.files, uniquingKeysWith: { $1 }) {
            setenv(variable, path.appending(ByteString(name)).cString, 1)
        }
        for variable in Self.temporaries { setenv(variable, temporary.cString, 1) }
        for (variable, value) in Self.others { setenv(variable, value, 1) }
    }
}
