// Calls over a real socket.

import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Synchronization
import Testing

@testable import MAMControl

extension SocketTests {
    @Suite struct VarlinkServerTests {
        @Test func `a call is answered, and the handler sees who called`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            let reply = try client.call("io.mamd.Echo.Echo", ["text": "grüße"])
            #expect(try reply.string("text") == "grüße")
            #expect(try reply.integer("pid") == Int(getpid()))
            #expect(try reply.integer("uid") == Int(getuid()))
        }

        static let refusals: [(String, [String: JSONValue], VarlinkError)] = [
            ("io.mamd.Echo.Nothing", [:], .methodNotFound("Nothing")),
            ("io.mamd.Nothing.Echo", [:], .interfaceNotFound("io.mamd.Nothing")),
            ("io.mamd.Echo.Echo", [:], .invalidParameter("text")),
            ("io.mamd.Echo.Echo", ["text": nil], .invalidParameter("text")),
            ("io.mamd.Echo.Echo", ["text": 1], .invalidParameter("text")),
            ("io.mamd.Echo.Echo", ["text": "", "txet": ""], .invalidParameter("txet")),
            ("io.mamd.Echo.Count", ["to": 2], .expectedMore),
            ("io.mamd.Echo.Read", ["fileDescriptor": 0], .invalidParameter("fileDescriptor")),
            ("io.mamd.Echo.Read", ["fileDescriptor": -1], .invalidParameter("fileDescriptor")),
            ("NoDot", [:], .invalidParameter("call")),
            ("org.varlink.service.Nothing", [:], .methodNotFound("Nothing")),
            (
                "org.varlink.service.GetInterfaceDescription", ["interface": "a.b"],
                .interfaceNotFound("a.b")
            ),
        ]

        @Test(arguments: refusals)
        func `a call that cannot be answered gets the error that says why`(
            method: String, parameters: [String: JSONValue], error: VarlinkError
        ) throws {
            let server = try EchoServer()
            var client = try server.connect()
            #expect(throws: VarlinkClient.Failure.refused(error)) {
                try client.call(method, parameters)
            }
        }

        @Test func `no handler sees a method that its interface does not have`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            #expect(throws: VarlinkClient.Failure.refused(.methodNotFound("c2VjcmV0"))) {
                try client.call("io.mamd.Echo.c2VjcmV0", [:])
            }
            #expect(server.interface.calls.load(ordering: .relaxed) == 0)
        }

        @Test func `a service tells what it offers`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            let info = try client.call("org.varlink.service.GetInfo")
            #expect(info.members["interfaces"] == ["org.varlink.service", "io.mamd.Echo"])
            #expect(info.members["product"] == "echo")
            for (name, text) in [
                ("io.mamd.Echo", server.interface.description),
                ("org.varlink.service", Introspection.text),
            ] {
                let reply = try client.call(
                    "org.varlink.service.GetInterfaceDescription", ["interface": .string(name)])
                #expect(try reply.string("description") == text)
            }
        }

        @Test func `a stream delivers every reply in order, and the connection goes on`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            var numbers: [Int] = []
            try client.stream("io.mamd.Echo.Count", ["to": 5]) { reply in
                numbers.append((try? reply.integer("number")) ?? -1)
                return true
            }
            #expect(numbers == [0, 1, 2, 3, 4, 5])
            #expect(try client.call("io.mamd.Echo.Echo", ["text": "on"]).string("text") == "on")
        }

        @Test func `a one-way call is carried out and has no reply`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            try client.notify("io.mamd.Echo.Echo", ["text": "first"])
            #expect(
                try client.call("io.mamd.Echo.Echo", ["text": "second"]).string("text") == "second")
            #expect(server.interface.calls.load(ordering: .relaxed) == 2)
        }

        @Test func `an upgrade is refused`() throws {
            let server = try EchoServer()
            let socket = try server.rawConnection()
            _ = sendAll(
                Array(#"{"method":"io.mamd.Echo.Echo","upgrade":true}"#.utf8) + [0], to: socket)
            shutdown(socket.raw, Int32(SHUT_WR))
            #expect(receiveAll(from: socket).contains("org.varlink.service.MethodNotImplemented"))
        }

        @Test func `a descriptor arrives with its call and is closed after it`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            let reader = Descriptor(owning: ends[0])
            do {
                let writer = Descriptor(owning: ends[1])
                #expect(write(writer.raw, "secret", 6) == 6)
            }
            _ = try client.call("io.mamd.Echo.Echo", ["text": ""])
            let before = openDescriptorCount()
            let reply = try client.call(
                "io.mamd.Echo.Read", ["fileDescriptor": 0], descriptors: [reader])
            #expect(try reply.string("text") == "secret")
            for _ in 0..<30 {
                let sent = [reader, reader]
                _ = try client.call("io.mamd.Echo.Echo", ["text": ""], descriptors: sent)
            }
            _ = try client.call("io.mamd.Echo.Echo", ["text": ""])
            #expect(areOpenDescriptors(atMost: before))
        }

        @Test func `a long reply arrives whole`() throws {
            let server = try EchoServer()
            var client = try server.connect()
            let reply = try client.call("io.mamd.Echo.Repeat", ["count": 3_000_000])
            #expect(try reply.string("text").utf8.count == 3_000_000)
        }
    }
}
