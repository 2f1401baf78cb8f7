// `setup`: systemd mounts the workspace at each login, or at each start of the machine.

internal import Glibc
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

struct SetupService {
    let name: WorkspaceName

    private var systemctl: [String] { UnitNames.systemctl }

    /// A manager answers, and knows mamd's units.
    var isOffered: Bool {
        output(of: systemctl + ["cat", "mamd@\(name).service"]) != nil
            && output(of: systemctl + ["show-environment"]) != nil
    }

    /// Mounts it now, and from now on.
    func enable() throws(Failure) {
        let unit = "mamd@\(name).service"
        guard output(of: systemctl + ["enable", "--now", unit]) == nil else { return }
        throw Failure(
            .failure, "\(unit) cannot be started",
            next: "\(systemctl.joined(separator: " ")) status \(unit), then mamctl setup again")
    }

    /// Gives the passphrase to the keyring, which is open while the user is logged in, and has it
    /// asked at login.
    func unlockByKeyring(_ passphrase: SecretBuffer) throws {
        let words = [
            "secret-tool", "store", "--label=mamd: \(name)", "workspace", "\(name)",
        ].map { ByteString($0) }
        let pipe = try passphrase.pipe()
        let process = try naming(words[0]) { () throws(Errno) in
            try spawn(words, files: [pipe.raw: STDIN_FILENO])
        }
        guard try wait(for: process) == .exited(0) else {
            throw Failure(
                .failure, "the keyring did not take the passphrase",
                next: "log in on a desktop with a keyring, or run mamctl setup without --keyring")
        }
        try writeDropIn()
        for words in [["daemon-reload"], ["enable", "mamd-unlock@\(name).service"]]
        where output(of: systemctl + words) == nil {
            let command = (systemctl + words).joined(separator: " ")
            throw Failure(.failure, "'\(command)' has failed", next: .verbatim(command))
        }
    }

    private func writeDropIn() throws {
        let root = ByteString(Places.current.configurationRoot).directory.shown
        let path = "\(root)/systemd/user/mamd-unlock@\(name).service.d"
        let text = """
            [Service]
            LoadCredential=
            ExecStart=
            ExecStart=mamctl unlock --workspace %i --extpass "secret-tool lookup workspace %i"

            """
        try makeDirectories(path, mode: 0o700)
        let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        try Array(text.utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: "keyring.conf", with: bytes)
        }
    }
}
