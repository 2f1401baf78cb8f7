// `setup --keyring`: the desktop's keyring has the passphrase, and a drop-in of mamd-unlock@NAME
// asks it at login.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

struct SetupKeyring {
    let name: WorkspaceName
    /// The key in the keyring: unlike the name, it stays when the workspace is renamed.
    let id: Bytes16

    func keep(_ passphrase: SecretBuffer, of account: String) throws {
        try store(passphrase)
        try writeDropIn(account)
        try enable()
    }

    private func store(_ passphrase: SecretBuffer) throws {
        let words = ["secret-tool", "store", "--label=mamd: \(name)", "workspace", "\(id)"]
            .map { ByteString($0) }
        let pipe = try passphrase.pipe()
        let process = try naming(words[0]) { () throws(Errno) in
            try spawn(words, files: [pipe.raw: STDIN_FILENO])
        }
        guard try wait(for: process) == .exited(0) else {
            throw Failure(
                .failure, "the keyring did not take the passphrase; the rest is done",
                next: "unlock the keyring, as a desktop's login does, and run the same again")
        }
    }

    private func writeDropIn(_ account: String) throws {
        let root = ByteString(Places.current.configurationRoot).directory.shown
        let path = "\(root)/systemd/user/mamd-unlock@\(name).service.d"
        try makeDirectories(path, mode: 0o700)
        let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        try Array(dropIn(account).utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: "keyring.conf", with: bytes)
        }
    }

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
        ExecStart=mamctl unlock --workspace %i --extpass "secret-tool lookup workspace \(id)" \\
            -- \(unitWord(account))

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

/// One word of an ExecStart=, whatever is in it.
private func unitWord(_ text: String) -> String {
    let escapes: [Character: String] = ["\\": "\\\\", "\"": "\\\"", "%": "%%", "$": "$$"]
    return "\"\(text.map { escapes[$0] ?? String($0) }.joined())\""
}
