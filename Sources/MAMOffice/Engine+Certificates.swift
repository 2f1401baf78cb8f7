// The engine's certificates: the servers', and of the authority that vouches for them.

internal import MAMCrypto
package import MAMEngine
internal import MAMFleet
internal import MAMModel

extension Engine {
    /// The next authority's certificate, and its key while the former's is in use.
    package static let nextAuthority = "engine/next-ca.pem"
    package static let nextAuthorityKey = "engine/next-ca.key"

    fileprivate static let maximumByteCount = 65_536
    /// What parts the ends of two servers' certificates: one that was forgotten stops one server.
    private static let daysBetweenEnds = 14

    /// What was written for a server.
    package struct ServerFiles: Sendable {
        package let server: ServerName
        /// Below the organisation's directory.
        package let directory: String
        /// When the certificate ends, in seconds since 1970.
        package let ends: Int64
    }

    /// The files of each server, with a new certificate. `directory` and `store`: what will have a
    /// directory of the server's label on its host, where several may be.
    package func writeServers(
        directory place: String, store: String
    ) throws(OrganizationDirectory.Failure) -> [ServerFiles] {
        let authority = try authority()
        let pem = try directory.read(Self.authority, atMost: Self.maximumByteCount)
        let operatorToken = try directory.token(Self.operatorToken)
        let (systemToken, accountToken) = (
            try directory.token(Self.systemToken), try directory.token(Self.accountToken)
        )
        let names = settings.servers.compactMap(ServerName.init)
        var made: [ServerFiles] = []
        for (number, server) in names.enumerated() {
            let certified = try directory.openssl { () throws(CertificateAuthority.Failure) in
                try authority.certify(
                    named: server.isIPv6 ? server.label : server.host,
                    alternatives: (server.isAddress ? "IP:" : "DNS:") + server.host,
                    days: CertificateAuthority.serverValidDays - number * Self.daysBetweenEnds)
            }
            let configuration = ServerConfiguration(
                server, of: names, in: "\(place)/\(server.label)",
                storingIn: "\(store)/\(server.label)",
                systemAccount: systemToken, account: accountToken)
            let below = "\(Self.servers)/\(server.label)"
            typealias Names = ServerConfiguration
            try directory.write("\(below)/\(Names.key)", secret: certified.key)
            try directory.write("\(below)/\(Names.certificate)", certified.certificate)
            try directory.write("\(below)/\(Names.authority)", pem)
            try directory.write("\(below)/\(Names.operatorToken)", Array(operatorToken.text.utf8))
            try directory.write("\(below)/\(Names.file)", Array(configuration.text.utf8))
            made.append(
                ServerFiles(
                    server: server, directory: below,
                    ends: certificateEnd(certified.certificate) ?? 0))
        }
        return made
    }

    private func authority() throws(OrganizationDirectory.Failure) -> CertificateAuthority {
        let pem = try directory.read(Self.authority, atMost: Self.maximumByteCount)
        let key = try directory.readSecret(Self.authorityKey, atMost: Self.maximumByteCount)
        return try directory.openssl { () throws(CertificateAuthority.Failure) in
            try CertificateAuthority(certificate: pem, key: key)
        }
    }

    // MARK: The next authority

    package func hasNextAuthority() throws(OrganizationDirectory.Failure) -> Bool {
        try directory.has(Self.nextAuthorityKey)
    }

    /// Makes the next authority. Servers believe both from their next files on, and machines from
    /// the next push on: the authority in use has signed the next one's key.
    package func makeNextAuthority() throws(OrganizationDirectory.Failure) {
        let former = try authority()
        let name = "mamd \(SecureRandom.bytes16().description.prefix(12))"
        let next = try directory.openssl { () throws(CertificateAuthority.Failure) in
            try CertificateAuthority.make(named: name)
        }
        let link = try directory.openssl { () throws(CertificateAuthority.Failure) in
            try former.vouch(for: next, named: name)
        }
        let first = certificates(ofPEM: former.certificate).first ?? []
        try directory.write(Self.nextAuthority, next.certificate + link)
        try directory.write(Self.authority, first + next.certificate)
        // The last: with its key it is there.
        try directory.write(Self.nextAuthorityKey, secret: next.key)
    }

    /// The next authority is the one that vouches for servers from now on. The former is still
    /// believed, so that servers take their new files one after the other.
    package func useNextAuthority() throws(OrganizationDirectory.Failure) {
        let key = try directory.readSecret(Self.nextAuthorityKey, atMost: Self.maximumByteCount)
        let pem = try directory.read(Self.nextAuthority, atMost: Self.maximumByteCount)
        let believed = certificates(
            ofPEM: try directory.read(Self.authority, atMost: Self.maximumByteCount))
        guard let next = certificates(ofPEM: pem).first else {
            throw directory.failure(Self.nextAuthority, .malformed("it is no certificate in PEM"))
        }
        let former = believed.filter { $0 != next }.prefix(1)
        try directory.write(Self.authority, next + former.joined())
        try directory.write(Self.authorityKey, secret: key)
        try directory.remove(Self.nextAuthorityKey)
    }
}

extension OrganizationDirectory {
    /// What machines learn the next authority from: its certificate, and that of its key by the
    /// former one. Nil if there was only one so far.
    package func nextAuthority() throws(Failure) -> [UInt8]? {
        guard try has(Engine.nextAuthority) else { return nil }
        return try read(Engine.nextAuthority, atMost: Engine.maximumByteCount)
    }

    func openssl<Value>(
        _ body: () throws(CertificateAuthority.Failure) -> Value
    ) throws(Failure) -> Value {
        do throws(CertificateAuthority.Failure) { return try body() } catch {
            throw failure(
                Engine.authorityKey,
                .malformed(
                    error == .openssl
                        ? "OpenSSL made no certificate" : "it is not the key of \(Engine.authority)"
                ))
        }
    }
}
