// Where a refresh token is kept: the keyring of the person's desktop, by libsecret's secret-tool,
// or a credential that systemd gives to the service that signs in. Never with the daemon.

import Glibc
import MAMCommandLine
import MAMModel
import MAMSystem
import MAMWire

struct TokenStore {
    let issuer: Varlink.SignIn.Issuer
    let account: String

    private static let credential = "mamd-refresh-token"
    private static let maximumByteCount = 1 << 16

    private var attributes: [String] {
        [
            "application", "mamd", "issuer", issuer.authority, "client", issuer.clientID,
            "account", account.caseFolded,
        ]
    }

    /// Nil if there is none.
    func find() throws(Failure) -> String? {
        if let directory = getenv("CREDENTIALS_DIRECTORY") {
            let path = "\(String(cString: directory))/\(Self.credential)"
            if let bytes = try? readSmallFile(path, maximumByteCount: Self.maximumByteCount) {
                return text(bytes)
            }
        }
        let found = tool(["lookup"] + attributes)
        return found.flatMap { $0.isEmpty ? nil : text($0) }
    }

    /// False if nothing is there that keeps it.
    func keep(_ token: String) -> Bool {
        let label = ["--label", "mamd: refresh token of \(account)"]
        return tool(
            ["store"] + label + attributes, input: Array(token.utf8)) != nil
    }

    private func text(_ bytes: [UInt8]) -> String? {
        String(validating: bytes, as: UTF8.self)?.split(separator: "\n").first.map(String.init)
    }

    /// The program's output; nil if it fails. The token goes in and out by files in memory.
    private func tool(_ words: [String], input: [UInt8] = []) -> [UInt8]? {
        guard let given = try? makeMemoryFile(input), let taken = try? makeMemoryFile([]),
            let null = try? openFile("/dev/null", O_RDWR)
        else { return nil }
        let files = [
            given.raw: STDIN_FILENO, taken.raw: STDOUT_FILENO, null.raw: STDERR_FILENO,
        ]
        return withExtendedLifetime((given, taken, null)) {
            let argv = (["secret-tool"] + words).map { ByteString($0) }
            guard let process = try? spawn(argv, files: files),
                (try? wait(for: process)) == .exited(0)
            else { return nil }
            lseek(taken.raw, 0, SEEK_SET)
            var room = [UInt8](repeating: 0, count: Self.maximumByteCount)
            let count = read(taken.raw, &room, room.count)
            return count < 0 ? nil : Array(room[..<count])
        }
    }
}
