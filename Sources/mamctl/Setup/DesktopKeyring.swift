// `setup --keyring`: the desktop's keyring has the passphrase, and a drop-in of mamd-unlock@NAME
// asks it at login.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct DesktopKeyring {
    let name: WorkspaceName
    /// The key in the keyring: unlike the name, it stays when the workspace is renamed.
    let id: Bytes16

    init(name: WorkspaceName, id: Bytes16) { (self.name, self.id) = (name, id) }

    /// Nil if the daemon's workspace has no id.
    init?(of daemon: Daemon) throws {
        guard let id = Bytes16(hex: try daemon.status().id) else { return nil }
        self.init(name: daemon.name, id: id)
    }

    /// Keeps the passphrase, and has each login ask for it. Recovery words stay on paper.
    func keep(_ passphrase: SecretBuffer, of account: String) throws {
        guard !passphrase.isRecovery else {
            throw Failure(
                .refused, "the keyring takes no recovery passphrase; the rest is done",
                next: "run the same again, with the account's passphrase")
        }
        guard try store(passphrase) else {
            throw Failure(
                .failure, "the keyring did not take the passphrase; the rest is done",
                next: "unlock the keyring, as a desktop's login does, and run the same again")
        }
        try makeDirectories(dropInDirectory, mode: 0o700)
        let directory = try openFile(dropInDirectory, O_RDONLY | O_DIRECTORY)
        try Array(dropIn(account).utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: fileName, with: bytes)
        }
        try enable()
    }

    /// Whether logins ask it for the passphrase of that account.
    func opens(_ account: String) -> Bool {
        dropInText.map { $0.contains(lookup) && $0.contains(operand(account)) } == true
    }

    /// Whether a passphrase came from it: by the command that logins ask it with.
    func answers(_ command: [ByteString]) -> Bool { command.map(\.text) == [lookup] }

    /// In place of a former one. False if the keyring did not take it.
    func store(_ passphrase: SecretBuffer) throws -> Bool {
        let words = ["secret-tool", "store", "--label=mamd: \(name)", "workspace", "\(id)"]
            .map { ByteString($0) }
        let pipe = try passphrase.pipe()
        let process = try naming(words[0], spawn(words, files: [pipe.raw: STDIN_FILENO]))
        return try wait(for: process) == .exited(0)
    }

    /// Removes the passphrase. False if the keyring cannot be reached.
    func clear() -> Bool { output(of: clearing) != nil }

    private var clearing: [String] { ["secret-tool", "clear", "workspace", "\(id)"] }

    /// Removes the passphrase, and what asks for it. Returns the command that remains.
    func forget() throws(Failure) -> String? {
        guard dropInText?.contains(lookup) == true else { return nil }
        let isForgotten = clear()
        try naming(ByteString(dropInDirectory)) { () throws(Errno) in
            let directory = try openFile(dropInDirectory, O_RDONLY | O_DIRECTORY)
            try removeFile(in: directory.raw, named: fileName)
        }
        // Stays if it has other files.
        rmdir(dropInDirectory)
        return isForgotten ? nil : clearing.joined(separator: " ")
    }

    private var dropInDirectory: String {
        let root = ByteString(Places.current.configurationRoot).directory.shown
        return "\(root)/systemd/user/mamd-unlock@\(name).service.d"
    }

    private var dropInText: String? {
        (try? readSmallFile("\(dropInDirectory)/\(fileName)", maximumByteCount: 65_536))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private var lookup: String { "secret-tool lookup workspace \(id)" }

    /// The last try is left to somebody who can see that it is.
    private func unlock(_ account: String) -> String {
        """
        ExecStart=mamctl unlock --workspace %i --wait 60 --no-last-try --extpass "\(lookup)" \\
            \(operand(account))
        """
    }

    private func operand(_ account: String) -> String { "-- \(unitWord(account))\n" }

    /// The user's manager may reach this before the login has unlocked the keyring. To look a
    /// secret up in a locked one would ask for the keyring's password.
    private func dropIn(_ account: String) -> String {
        """
        [Service]
        LoadCredential=
        TimeoutStartSec=5min
        ExecStartPre=sh -c 'until busctl --user get-property org.freedesktop.secrets \\
            /org/freedesktop/secrets/aliases/default org.freedesktop.Secret.Collection Locked \\
            2>&1 | grep -q "^b false"; do sleep 1; done'
        ExecStart=
        \(unlock(account))
        """
    }

    private func enable() throws(Failure) {
        for words in [["daemon-reload"], ["enable", "mamd-unlock@\(name).service"]]
        where output(of: UnitNames.systemctl + words) == nil {
            let command = (UnitNames.systemctl + words).joined(separator: " ")
            throw Failure(.failure, "'\(command)' has failed", next: .verbatim(command))
        }
    }
}

private let fileName = "keyring.conf"

extension SecretBuffer {
    var isRecovery: Bool {
        withBytes { RecoveryWords.entropy(of: SecretBytes(copying: $0)) != nil }
    }
}

/// One word of an ExecStart=, whatever is in it.
private func unitWord(_ text: String) -> String {
    let escapes: [Character: String] = ["\\": "\\\\", "\"": "\\\"", "%": "%%", "$": "$$"]
    return "\"\(text.map { escapes[$0] ?? String($0) }.joined())\""
}
