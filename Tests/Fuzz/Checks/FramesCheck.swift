// The socket of a daemon: bytes from a client that is nobody's friend, over the server's own way of
// serving a connection, with the real interface over a real vault.

import Glibc
import MAMControl
import MAMCrypto
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
internal import MAMWire

func checkFrames(_ bytes: [UInt8]) throws(Violation) {
    try checkCuts(bytes)
    let replies = try Conversation.shared.replies(to: bytes)
    for frame in replies {
        let reply = try must("a reply is not JSON") { try JSONValue(parsing: frame) }
        try checkWritten(reply)
        guard let members = reply.object, members["parameters"]?.object != nil else {
            throw Violation(description: "a reply without parameters")
        }
        let known = Set(["parameters", "error", "continues"])
        try expect(known.isSuperset(of: members.keys), "a reply with other members")
    }
}

/// Frames are the same however the stream is cut into reads.
private func checkCuts(_ bytes: [UInt8]) throws(Violation) {
    var sizes = Choices(bytes)
    let whole = frames([bytes[...]])
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = min(rest.count, 1 + sizes.number(below: 64))
        pieces.append(rest.prefix(count))
        rest = rest.dropFirst(count)
    }
    try expect(frames(pieces) == whole, "other frames when the stream is cut")
}

/// The frames up to the first that is too long, and whether there was one.
private func frames(_ pieces: [ArraySlice<UInt8>]) -> [[UInt8]?] {
    var reader = FrameReader(maximumByteCount: 100)
    var found: [[UInt8]?] = []
    for piece in pieces {
        let isOver = (try? reader.take(piece)) == nil
        while let frame = reader.next() { found.append(frame.bytes) }
        if isOver { return found + [nil] }
    }
    return found + (reader.isWithinFrame ? [[]] : [])
}

private struct Conversation {
    static let shared = prepared { try Conversation() }

    private let service: VarlinkService
    private let keyring: Keyring

    private init() throws {
        let directory = try openFile(TemporaryDirectory().path, O_RDONLY | O_DIRECTORY)
        keyring = try Keyring(
            stateDirectory: directory, cost: cheapest, clock: { 1_000_000 }, report: { _ in })
        _ = try keyring.register(
            Identity(name: "ann@contoso.com", objectID: "OID-1"), uid: Self.client.uid,
            passphrase: nil)
        var settings = Settings()
        settings.lockGraceSeconds = 0
        let vault = try Vault(
            settings: settings, policies: .empty, keyring: keyring,
            stateDirectory: nil, log: .silent)
        // Nothing is in it, and nothing is mounted: files are found by the tree's own tests.
        let tree = try Tree(
            vault: vault, root: directory, workDirectory: nil, mountPoint: ByteString(""),
            isReadOnly: true
        ) { _ in }
        service = VarlinkService(
            ServiceInformation(vendor: "", product: "mamd", version: "", url: ""),
            [
                WorkspaceInterface(
                    WorkspaceFacts(name: "w", id: "1", backingDirectory: "/", mountPoint: "/"),
                    tree: tree),
                IdentityInterface(tree: tree),
            ])
    }

    /// Nobody whom the daemon trusts: what a fuzzer names by path is never opened.
    private static let client = Peer(pid: getpid(), uid: 12_345, gid: 12_345)

    func replies(to bytes: [UInt8]) throws(Violation) -> [[UInt8]] {
        let (ours, theirs) = try Self.pair()
        try must("sending") {
            let count = bytes.withUnsafeBytes {
                write(ours.raw, $0.baseAddress, $0.count)
            }
            guard count == bytes.count else { throw Errno.ioError }
            _ = try retrying { shutdown(ours.raw, Int32(SHUT_WR)) }
        }
        VarlinkServer.serve(theirs, Self.client, service)
        shutdown(theirs.raw, Int32(SHUT_RDWR))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(ours.raw, &buffer, buffer.count)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        try expect(received.isEmpty || received.last == 0, "a reply without an end")
        return received.split(separator: 0).map(Array.init)
    }

    /// Connected, with room for all replies: one thread writes them and then reads them.
    private static func pair() throws(Violation) -> (Descriptor, Descriptor) {
        try must("a pair of sockets") {
            var raw: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            _ = try retrying { socketpair(AF_UNIX, type, 0, &raw) }
            var room: Int32 = 16 << 20
            let forced: Int32 = 32  // SO_SNDBUFFORCE
            for side in raw {
                setsockopt(side, SOL_SOCKET, forced, &room, socklen_t(MemoryLayout<Int32>.size))
            }
            return (Descriptor(owning: raw[0]), Descriptor(owning: raw[1]))
        }
    }
}
