// Starting, stopping, and the owner of the socket's name.

import Glibc
import MAMModel
import MAMSystem
import MAMWire
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMControl

extension SocketTests {
    @Suite struct SocketFileTests {
        @Test func `stopping ends the connections, removes the socket and frees its name`() throws {
            let server = try EchoServer()
            let idle = try server.rawConnection()
            var client = try server.connect()
            _ = try client.call("io.mamd.Echo.Echo", ["text": ""])
            server.server.stop()
            #expect(receiveAll(from: idle) == "")
            #expect(throws: VarlinkClient.Failure.disconnected) {
                try client.call("io.mamd.Echo.Echo", ["text": ""])
            }
            #expect(throws: VarlinkClient.Failure.unreachable(path: server.path, .noEntry)) {
                _ = try server.connect()
            }
        }

        @Test func `a server that has gone gives back all it took`() throws {
            _ = try EchoServer()
            #expect(haveEnded(threadsNamed: "control"))
            let before = openDescriptorCount()
            for _ in 0..<30 { _ = try EchoServer() }
            #expect(haveEnded(threadsNamed: "control"))
            #expect(areOpenDescriptors(atMost: before))
        }

        @Test func `a live server's socket is not taken over`() throws {
            let server = try EchoServer()
            #expect(throws: Errno(rawValue: EADDRINUSE)) { try second(at: server.path) }
            // Not even when someone removed its lock file.
            unlink(server.path + ".lock")
            #expect(throws: Errno(rawValue: EADDRINUSE)) { try second(at: server.path) }
            var client = try server.connect()
            #expect(try client.call("io.mamd.Echo.Echo", ["text": "on"]).string("text") == "on")
        }

        @Test func `a dead server's socket is replaced`() throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/s.sock"
            // Listening ends with the descriptor; the file stays, as after SIGKILL.
            _ = try UnixSocket.listen(at: path, mode: 0o600)
            #expect(access(path, F_OK) == 0)
            try second(at: path)
        }

        @Test func `a file that is no socket is left alone`() throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/s.sock"
            _ = try openFile(path, O_WRONLY | O_CREAT, mode: 0o600)
            #expect(throws: Errno(rawValue: EADDRINUSE)) { try second(at: path) }
            #expect(access(path, F_OK) == 0)
        }

        @Test
        func `the socket has the mode that was asked for, and its directory is private`() throws {
            let server = try EchoServer()
            #expect(try status(at: workingDirectory, server.path).st_mode & 0o7777 == 0o600)
            #expect(
                try status(at: workingDirectory, server.directory + "/run").st_mode & 0o7777
                    == 0o700)
        }

        @Test func `a path that no address can hold is refused`() throws {
            let directory = try TemporaryDirectory()
            let path = directory.path(String(repeating: "x", count: 108))
            #expect(throws: Errno(rawValue: ENAMETOOLONG)) { try second(at: path) }
        }

        @Test func `a path longer than an address is reached through its directory`() throws {
            let directory = try TemporaryDirectory()
            let path = directory.path("\(String(repeating: "x", count: 108))/s.sock")
            let server = try VarlinkServer(
                at: path, service: EchoServer.service(EchoInterface()))
            var client = try VarlinkClient(path: path)
            #expect(try client.call("io.mamd.Echo.Echo", ["text": "on"]).string("text") == "on")
            server.stop()
            #expect(access(path, F_OK) != 0)
        }

        @Test func `of two places one is enough`() throws {
            let directory = try TemporaryDirectory()
            let (path, lasting) = (directory.path("run/s.sock"), directory.path("s.sock"))
            for (first, second, failing) in [
                (path, lasting, String?.none), ("/proc/none/s.sock", lasting, "/proc/none/s.sock"),
                (path, "/proc/none/s.sock", "/proc/none/s.sock"),
            ] {
                var told: [String] = []
                let server = try VarlinkServer(
                    at: first, lasting: second, service: EchoServer.service(EchoInterface())
                ) { place, _ in told.append(place) }
                #expect(told == [failing].compactMap(\.self))
                for place in [first, second] where place != failing {
                    var client = try VarlinkClient(path: place)
                    let reply = try client.call("io.mamd.Echo.Echo", ["text": "on"])
                    #expect(try reply.string("text") == "on")
                }
                server.stop()
                #expect(access(lasting, F_OK) != 0)
            }
        }

        private func second(at path: String) throws {
            _ = try VarlinkServer(at: path, service: EchoServer.service(EchoInterface()))
        }
    }
}
