// Clients that misbehave.

import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Synchronization
import Testing
import WorkspaceSupport

@testable import MAMControl

extension SocketTests {
    @Suite struct VarlinkLimitsTests {
        static let garbage: [[UInt8]] = [
            [0], [0, 0, 0], Array("{\u{0}".utf8), Array("[]\u{0}".utf8), Array("{}\u{0}".utf8),
            Array("GET / HTTP/1.1\r\n\r\n\u{0}".utf8), [0xFF, 0xFE, 0], Array("null\u{0}".utf8),
            Array(#"{"method":1}"#.utf8) + [0],
            Array(#"{"method":"a.b","parameters":[]}"#.utf8) + [0],
            Array(#"{"method":"a.b","more":"yes"}"#.utf8) + [0],
        ]

        @Test(arguments: garbage)
        func `what is no call is refused, its connection closed, and the next client served`(
            bytes: [UInt8]
        ) throws {
            let server = try EchoServer()
            let socket = try server.rawConnection()
            _ = sendAll(bytes, to: socket)
            #expect(receiveAll(from: socket).contains("org.varlink.service.InvalidParameter"))
            try expectService(server)
        }

        @Test
        func `a frame of 100 MB is broken off after about one, and the next client served`() throws
        {
            let server = try EchoServer()
            let socket = try server.rawConnection()
            let sent = sendAll(
                [UInt8](repeating: UInt8(ascii: "a"), count: 100_000_000), to: socket)
            #expect(sent < 4_000_000)
            #expect(receiveAll(from: socket).contains("org.varlink.service.InvalidParameter"))
            try expectService(server)
        }

        @Test(arguments: [1, 10, 30])
        func `a client that hangs up within a frame costs nothing`(after count: Int) throws {
            let server = try EchoServer()
            do {
                let socket = try server.rawConnection()
                _ = sendAll(
                    Array(#"{"method":"io.mamd.Echo.Echo"}"#.utf8.prefix(count)), to: socket)
            }
            try expectService(server)
            #expect(server.interface.calls.load(ordering: .relaxed) == 1)
        }

        @Test
        func `a slow call, a silent client and a half frame do not delay another client`() throws {
            let server = try EchoServer()
            let silent = try server.rawConnection()
            let half = try server.rawConnection()
            _ = sendAll(Array("{\"method\"".utf8), to: half)
            let slow = try server.rawConnection()
            _ = sendAll(Array(#"{"method":"io.mamd.Echo.Wait"}"#.utf8) + [0], to: slow)
            defer { server.interface.mayGoOn.signal() }
            try expectService(server)
            #expect(server.interface.calls.load(ordering: .relaxed) == 1)
            withExtendedLifetime((silent, half, slow)) {}
        }

        @Test func `a client that does not read its replies is cut off`() throws {
            let server = try EchoServer { $0.sendTimeoutSeconds = 1 }
            let socket = try server.rawConnection()
            let call = #"{"method":"io.mamd.Echo.Repeat","parameters":{"count":3000000}}"#
            _ = sendAll(Array(call.utf8) + [0], to: socket)
            // One second fills the socket and sends no more, the next sends nothing: that one is
            // the limit. Without anything to wait for, poll(2) tells of a hang-up alone.
            var connection = pollfd(fd: socket.raw, events: 0, revents: 0)
            #expect(poll(&connection, 1, 30_000) == 1)
            // Cut off within the reply: what the socket held is all there is.
            #expect(receiveAll(from: socket).utf8.count < 3_000_000)
        }

        @Test func `a connection gives back all it took, however it ends`() throws {
            let server = try EchoServer()
            try expectService(server)
            #expect(haveEnded(threadsNamed: "control-client"))
            let before = openDescriptorCount()
            for bytes in Self.garbage {
                let socket = try server.rawConnection()
                _ = sendAll(bytes, to: socket)
                _ = receiveAll(from: socket)
            }
            for _ in 0..<30 { try expectService(server) }
            #expect(haveEnded(threadsNamed: "control-client"))
            #expect(areOpenDescriptors(atMost: before))
        }

        @Test
        func `a full server closes new connections and serves again when one leaves`() throws {
            try expectRoomForTwo(in: try EchoServer { $0.connections = 2 })
        }

        @Test(.enabled(if: geteuid() != 0, "root may open as many as the server has"))
        func `a user who has its share is closed, and served again when one leaves`() throws {
            try expectRoomForTwo(in: try EchoServer { $0.connectionsPerUser = 2 })
        }

        private func expectRoomForTwo(in server: EchoServer) throws {
            do {
                var first = try server.connect()
                _ = try first.call("io.mamd.Echo.Echo", ["text": ""])
                var second = try server.connect()
                _ = try second.call("io.mamd.Echo.Echo", ["text": ""])
                #expect(receiveAll(from: try server.rawConnection()) == "")
                _ = try first.call("io.mamd.Echo.Echo", ["text": ""])
            }
            #expect(haveEnded(threadsNamed: "control-client"))
            try expectService(server)
        }

        private func expectService(_ server: EchoServer) throws {
            var client = try server.connect()
            #expect(try client.call("io.mamd.Echo.Echo", ["text": "ok"]).string("text") == "ok")
        }
    }
}
