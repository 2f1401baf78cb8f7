// Waits at a port of this machine for the browser to come back.

import Glibc
import MAMCommandLine
import MAMCrypto
import MAMModel
import MAMSystem
import MAMWire

struct Loopback: ~Copyable {
    private let socket: Descriptor
    /// With the port.
    let address: String
    private let path: String

    /// As long as the daemon waits.
    private static let patienceSeconds = 600

    /// `redirect`: `http://HOST[:PORT][/PATH]` of this machine; any port, if it has none.
    init(for redirect: String) throws(Failure) {
        let rest = redirect.dropFirst("http://".count)
        let host = rest.prefix { $0 != "/" }
        let parts = host.split(separator: ":")
        let path = String(rest[host.endIndex...])
        let socket: Descriptor
        let port: UInt16
        do throws(Errno) {
            (socket, port) = try listen(at: parts.count == 2 ? UInt16(parts[1]) ?? 0 : 0)
        } catch { throw Failure("no port for the browser to come back to: \(error)") }
        self.socket = socket
        address = "http://\(parts.first ?? "127.0.0.1"):\(port)\(path)"
        self.path = path.isEmpty ? "/" : path
    }

    /// The code that answers this state. What does not is turned away: any program of this machine
    /// may knock.
    func code(answering state: String, from issuer: String) throws(Failure) -> String {
        let deadline = Deadline(seconds: Self.patienceSeconds)
        var visitors = Visitors(at: socket)
        while let (line, connection) = visitors.next(by: deadline) {
            guard let query = query(of: line, connection) else { continue }
            let values = decoded(query[...])
            guard let answered = values["state"],
                isEqualInConstantTime(Array(answered.utf8), Array(state.utf8)),
                values["iss"].map({ $0 == issuer }) ?? true
            else {
                answer(connection, "400 Bad Request", "This is no answer to the sign-in.")
                continue
            }
            if let code = values["code"], !code.isEmpty {
                answer(connection, "200 OK", "Go back to the terminal; this page may be closed.")
                return code
            }
            answer(connection, "200 OK", "Nobody has signed in; this page may be closed.")
            let error = values["error"] ?? "no code"
            let more = values["error_description"].map { ": \($0)" } ?? ""
            throw Failure(.refused, "the issuer refuses: \(shown("\(error)\(more)"))")
        }
        throw Failure("nobody has signed in within \(Self.patienceSeconds / 60) minutes")
    }

    /// What stands behind the `?` of a request for the address; nil for any other request.
    private func query(of line: [UInt8], _ connection: Descriptor) -> String? {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == "GET" else { return nil }
        let parts = words[1].split(separator: "?", maxSplits: 1)
        guard parts.first.map(String.init) == path, parts.count == 2 else {
            answer(connection, "404 Not Found", "There is nothing here.")
            return nil
        }
        return String(parts[1])
    }

    private func answer(_ connection: Descriptor, _ status: String, _ text: String) {
        let page = "<!doctype html><meta charset=utf-8><title>mamd</title><p>\(text)\n"
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\n"
            + "Content-Length: \(page.utf8.count)\r\nCache-Control: no-store\r\n"
            + "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\n"
            + "Connection: close\r\n\r\n"
        try? writeAll(Array((head + page).utf8), to: connection.raw)
    }
}

private func listen(at port: UInt16) throws(Errno) -> (Descriptor, UInt16) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Descriptor(owning: try retrying { Glibc.socket(AF_INET, kind, 0) })
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutableBytes(of: &name) { bytes throws(Errno) in
        guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
            return
        }
        _ = try retrying { bind(socket.raw, address, size) }
        _ = try retrying { Glibc.listen(socket.raw, 128) }
        _ = try retrying { getsockname(socket.raw, address, &size) }
    }
    return (socket, UInt16(bigEndian: name.sin_port))
}
