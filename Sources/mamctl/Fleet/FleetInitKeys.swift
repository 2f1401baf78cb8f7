// The keys of `fleet init --guided`: those that are there are used, others are made until there is
// a root. From then on a key that is missing lies on a stick that is.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMFormat
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct FleetInitKeys {
    private let invocation: Invocation
    private let mayMake: Bool
    private var made: Set<ByteString> = []
    /// Of all keys that this run makes, if it was typed.
    private var passphrase: SecretBuffer?

    init(mayMake: Bool, _ invocation: Invocation) {
        (self.mayMake, self.invocation) = (mayMake, invocation)
    }

    func isMade(_ path: ByteString) -> Bool { made.contains(path) }

    mutating func publicKey(of holder: FleetHolder, as roles: Set<Role>) throws -> String {
        switch holder {
        case .publicKey(let text): return text
        case .file(let path):
            let isThere =
                faccessat(workingDirectory, path.cString, F_OK, AT_SYMLINK_NOFOLLOW) == 0
            if !isThere, mayMake {
                try make(path, isServers: roles == [.time])
            }
            return try FleetKey.publicKey(of: path).text
        }
    }

    /// Runs a verb that signs with the key.
    @discardableResult
    func run(_ words: [ByteString], signingWith path: ByteString) throws -> JSONValue {
        try runVerb(
            words + [ByteString("--key"), path] + sources,
            passphrase: isMade(path) ? passphrase : nil)
    }

    /// `isServers`: a server signs with it, which nobody types a passphrase for.
    private mutating func make(_ path: ByteString, isServers: Bool) throws {
        let words = [ByteString("fleet"), ByteString("keygen"), ByteString("-o"), path]
        if isServers || invocation.arguments.has("no-passphrase") {
            try runVerb(words + [ByteString("--no-passphrase")])
        } else if !sources.isEmpty {
            try runVerb(words + sources)
        } else {
            let isFirst = passphrase == nil
            try askingAgain(if: isFirst && invocation.arguments.isTyped(), for: [.usage, .refused])
            {
                let typed =
                    try passphrase
                    ?? invocation.passphrase(
                        "Passphrase for the new keys", isNew: true)
                try runVerb(words, passphrase: typed)
                passphrase = typed
            }
        }
        made.insert(path)
    }

    /// Where the verbs that are run read a passphrase, too.
    private var sources: [ByteString] {
        ["passfile", "extpass"].flatMap { name in
            invocation.arguments.values(name).flatMap { [ByteString("--\(name)"), $0] }
        }
    }
}
