// `engine/settings.json`: where the engine is.

package import MAMFleet
package import MAMModel

package struct EngineSettings: Sendable, Equatable {
    /// The servers, each as `HOST:PORT`.
    package var servers: [String]
    /// The base of the bundles' addresses, if a web server has them too.
    package var https: String?
    /// The number of servers that store each message.
    package var replicas: Int

    package static let file = "engine/settings.json"
    /// The certificate that the servers' are signed by, beside this file.
    package static let authority = "ca.pem"
    package static let maximumByteCount = 1 << 16

    package init(servers: [String], https: String?, replicas: Int) {
        (self.servers, self.https, self.replicas) = (servers, https, replicas)
    }

    package var json: JSONValue {
        [
            "servers": JSONValue(texts: servers), "ca": .string(Self.authority),
            "https": JSONValue(https), "replicas": JSONValue(replicas),
        ]
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = Members(try JSONValue(bytes, orElse: "it is no JSON"), of: "the settings")
        servers = try members.take("servers", "a list of HOST:PORT") { json in
            let found = json.elements { $0.text.flatMap { ServerName($0) != nil ? $0 : nil } }
            return found?.isEmpty == false ? found : nil
        }
        _ = try members.take("ca", "ca.pem") { $0.text == Self.authority ? true : nil }
        https = try members.take("https", "an address with https://, or null") { json -> String?? in
            json == .null ? .some(nil) : json.text.flatMap { isHTTPS($0) ? .some($0) : nil }
        }
        replicas = try members.take("replicas", "1, 3 or 5") { json in
            json.integer.flatMap { [1, 3, 5].contains($0) ? Int($0) : nil }
        }
        try members.requireEmpty()
    }
}

package func isHTTPS(_ text: String) -> Bool {
    text.hasPrefix("https://") && text.utf8.count > 8 && text.utf8.count < 1000
        && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
}

/// `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`; what it is made of is safe in settings of a server.
package struct ServerName: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: UInt16

    package static let defaultPort: UInt16 = 4222

    package init?(_ text: String) {
        var rest = Substring(text)
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || ":.".contains($0) }) else {
                return nil
            }
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = String(rest[..<end])
            rest = rest[end...]
            guard isName(host) else { return nil }
        }
        if rest.isEmpty {
            port = Self.defaultPort
        } else {
            guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0,
                String(number) == rest.dropFirst()
            else { return nil }
            port = number
        }
    }

    package var isAddress: Bool {
        isIPv6
            || host.split(separator: ".").count == 4 && host.allSatisfy { $0.isNumber || $0 == "." }
    }
    package var isIPv6: Bool { host.contains(":") }
    /// The port for connections between servers.
    package var clusterPort: UInt16 { port > 63_000 ? port - 2000 : port + 2000 }
    package var description: String { at(port) }

    package func at(_ port: UInt16) -> String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The name of the server and of its directory.
    package var label: String { "\(host.map { $0 == ":" ? "_" : String($0) }.joined())-\(port)" }
}
