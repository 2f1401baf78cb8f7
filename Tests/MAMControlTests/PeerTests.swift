// What identifies a peer, also when its process id is another's by now.

import CShims
import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Testing

@testable import MAMControl

@Suite struct PeerTests {
    private func child() throws -> Int32 {
        try spawn(["sleep", "60"].map { ByteString($0) })
    }

    private func end(_ process: Int32) {
        kill(process, SIGKILL)
        _ = try? wait(for: process)
    }

    private func peer(_ id: Int32, _ process: ProcessHandle?) -> Peer {
        Peer(pid: id, uid: 1, gid: 1, process: process)
    }

    @Test func `a peer is one life of its process id`() throws {
        let first = try child()
        let handle = try #require(ProcessHandle(of: first))
        end(first)
        // As if the id had come round: it is a living process's, and the handle is of another life.
        let peer = peer(getpid(), handle)
        #expect(peer.life == nil)
        #expect(!peer.isAlive)
        #expect(peer.asking { $0 } == 0)
    }

    @Test func `a peer that lives is found by its id, and by none once it has ended`() throws {
        let process = try child()
        let handle = try #require(ProcessHandle(of: process))
        let peer = peer(process, handle)
        #expect(peer.life?.id == process)
        #expect(peer.asking { $0 } == process)
        // It ends while the question is being answered.
        #expect(
            peer.asking { id in
                if id > 0 { end(process) }
                return id
            } == 0)
        #expect(!peer.isAlive)
    }

    @Test func `without a handle the start time tells one life from the next`() throws {
        let process = try child()
        let peer = peer(process, nil)
        #expect(peer.isAlive)
        end(process)
        #expect(!peer.isAlive)
        #expect(!Peer(gone: getpid(), uid: 1, gid: 1).isAlive)
    }

    @Test func `a connection's other end is a handle of its process`() throws {
        let server = try EchoServer()
        let connection = try UnixSocket.connect(to: server.path)
        let raw = mam_peer_process(connection.raw)
        guard raw >= 0 else {
            #expect(Errno.current.rawValue == ENOPROTOOPT)
            return
        }
        #expect(ProcessHandle(owning: Descriptor(owning: raw)).isAlive)
    }

    @Test
    func `root and the own user may listen; for root the maker of a mount, but for secrets`() {
        #expect(Listener(user: 0, askedBy: 1000).isTrusted)
        #expect(Listener(user: 1000, askedBy: 1000).isTrusted)
        #expect(!Listener(user: 1001, askedBy: 1000).isTrusted)
        #expect(!Listener(user: 1001, askedBy: 1000).mayServe(mountOf: 1001))
        #expect(!Listener(user: 1001, askedBy: 0).isTrusted)
        #expect(!Listener(user: 1001, askedBy: 0).mayServe(mountOf: nil))
        #expect(!Listener(user: 1001, askedBy: 0).mayServe(mountOf: 1002))
        #expect(Listener(user: 1001, askedBy: 0).mayServe(mountOf: 1001))
    }
}
