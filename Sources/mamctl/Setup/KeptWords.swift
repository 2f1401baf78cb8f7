// `setup --recovery-file`, again: an interrupted run may have written the words, and they open the
// account or not.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Words in a file of the caller's, which is never written to.
struct KeptWords {
    let path: ByteString
    private let words: SecretBuffer

    /// Nil if there is no such file; fails if it holds anything else, or somebody else could know
    /// it.
    init?(at path: ByteString) throws {
        guard faccessat(workingDirectory, path.cString, F_OK, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        self.path = path
        let found = try naming(path) { () throws(Errno) in
            try status(at: workingDirectory, path.cString)
        }
        guard found.st_mode & S_IFMT == S_IFREG, found.st_mode & 0o077 == 0,
            found.st_uid == geteuid(), let words = try? readPassfile(path), words.isRecovery
        else { throw Self.exists(path) }
        self.words = words
    }

    /// For an account that was not there when they were written.
    func refuse() throws(Failure) { throw Self.exists(path) }

    private static func exists(_ path: ByteString) -> Failure {
        Failure(
            .failure, "\(path.shown) already exists",
            next: "name another file; words are never replaced")
    }

    /// The slot that has them, new or not.
    func add(
        to account: AccountReport, opening: SecretBuffer, of daemon: Daemon
    ) throws -> Varlink.Workspace.Slot {
        do {
            return try daemon.addWords(words, to: account, opening: opening)
        } catch let failure as Failure where failure.refusalCause == .passphrase {
            return try daemon.slot(of: account, openedBy: words)
        }
    }
}
