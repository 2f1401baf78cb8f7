// A small interface to test server and client with, and what it takes to run it.

import Foundation
import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Synchronization
import TestSupport
import Testing

@testable import MAMControl

/// Answers at once, when it is told to, several times, or about a descriptor.
final class EchoInterface: VarlinkInterface {
    let name = "io.mamd.Echo"
    let description = """
        interface io.mamd.Echo
        method Echo(text: string) -> (text: string, pid: int, uid: int)
        method Wait() -> ()
        method Count(to: int) -> (number: int)
        method Read(fileDescriptor: int) -> (text: string)
        method Repeat(count: int) -> (text: string)

        """
    /// Calls that were carried out.
    let calls = Atomic<Int>(0)
    /// What "Wait" waits for.
    let mayGoOn = Semaphore()

    func has(method: String) -> Bool { description.contains("method \(method)(") }

    func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        defer { calls.add(1, ordering: .relaxed) }
        switch call.method {
        case "Echo":
            try call.parameters.allowOnly(["text"])
            return [
                "text": .string(try call.parameters.string("text")),
                "pid": JSONValue(call.peer.pid), "uid": JSONValue(call.peer.uid),
            ]
        case "Wait":
            _ = mayGoOn.wait(until: .patient)
            return [:]
        case "Count": return try count(call)
        case "Read": return try read(call)
        case "Repeat":
            let text = String(repeating: "x", count: max(0, try call.parameters.integer("count")))
            return ["text": .string(text)]
        default: throw VarlinkError.methodNotFound(call.method)
        }
    }

    private func count(_ call: VarlinkCall) throws -> [String: JSONValue] {
        let last = try call.parameters.integer("to")
        for number in 0..<max(0, last) { try call.reply(["number": JSONValue(number)]) }
        return ["number": JSONValue(last)]
    }

    private func read(_ call: VarlinkCall) throws -> [String: JSONValue] {
        guard let descriptor = try call.descriptor("fileDescriptor") else {
            throw VarlinkError.invalidParameter("fileDescriptor")
        }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = bytes.withUnsafeMutableBytes {
            Glibc.read(descriptor.raw, $0.baseAddress, $0.count)
        }
        return ["text": .string(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))]
    }
}

/// A server in a directory of its own, both gone with the last reference.
final class EchoServer {
    let place: TemporaryDirectory
    let interface = EchoInterface()
    let server: VarlinkServer
    var directory: String { place.path }
    var path: String { "\(directory)/run/echo.sock" }

    init(_ change: (inout VarlinkServer.Limits) -> Void = { _ in }) throws {
        place = try TemporaryDirectory()
        var limits = VarlinkServer.Limits()
        change(&limits)
        server = try VarlinkServer(
            at: "\(place.path)/run/echo.sock", limits: limits, service: Self.service(interface))
    }

    static func service(_ interface: EchoInterface) -> VarlinkService {
        VarlinkService(
            ServiceInformation(
                vendor: "test", product: "echo", version: "1", url: "https://example.org"),
            [interface])
    }

    deinit { server.stop() }

    func connect() throws -> VarlinkClient { try VarlinkClient(path: path) }

    /// A connection without a client, to send what no client would.
    ///
    /// It does not wait for ever, so that a server that never hangs up fails a test and does not
    /// stop it.
    func rawConnection() throws -> Descriptor {
        let socket = try UnixSocket.connect(to: path)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(socket.raw, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0 else {
            throw Errno.current
        }
        return socket
    }
}

/// Sends bytes until all are out or the peer hangs up; the count that went out.
func sendAll(_ bytes: [UInt8], to socket: Descriptor) -> Int {
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
            send(socket.raw, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { break }
        sent += count
    }
    return sent
}

/// What arrives until the peer hangs up. That it does not is a failure.
func receiveAll(from socket: Descriptor) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(socket.raw, &buffer, buffer.count, 0)
        if count <= 0 {
            #expect(count == 0 || errno != EAGAIN, "the peer does not hang up")
            return String(decoding: bytes, as: UTF8.self)
        }
        bytes += buffer[..<count]
    }
}

/// True if this process has few more sockets and pipes than there were: suites that run at the same
/// time have some open. A leak that is one for each of 30 connections or servers is more.
func areOpenDescriptors(atMost before: Int) -> Bool {
    eventually { openDescriptorCount() < before + 20 }
}

/// Sockets and pipes that this process has open.
func openDescriptorCount() -> Int {
    (0..<1024).count { number in
        var target = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/self/fd/\(number)", &target, target.count)
        let text = String(
            decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("socket:") || text.hasPrefix("pipe:")
    }
}

/// Tests with real sockets run one after the other: some count what the process has open.
@Suite(.serialized)
struct SocketTests {}
