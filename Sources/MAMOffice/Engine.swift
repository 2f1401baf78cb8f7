// The engine's keys, tokens and certificates, in `engine/`.

internal import MAMCrypto
package import MAMEngine
internal import MAMFleet
internal import MAMModel

/// What an organisation needs to run the engine and to let machines in. These keys let
/// their holder read what machines send and keep documents from them, but not sign anything.
package struct Engine: Sendable {
    package let directory: OrganizationDirectory
    package private(set) var settings: EngineSettings
    let owner: NKeySeed
    let account: NKeySeed

    private typealias Directory = OrganizationDirectory

    package static let operatorSeed = "engine/operator.nk"
    package static let accountSeed = "engine/account.nk"
    package static let systemSeed = "engine/system.nk"
    package static let operatorToken = "engine/operator.jwt"
    package static let accountToken = "engine/account.jwt"
    package static let systemToken = "engine/system.jwt"
    /// The administrator's credentials in the organisation's account, and in the servers' own.
    package static let credentials = "engine/admin.creds"
    package static let systemCredentials = "engine/system.creds"
    package static let authority = "engine/ca.pem"
    package static let authorityKey = "engine/ca.key"
    package static let servers = "engine/servers"

    private static let accountName = "fleet"
    private static let streamCount: Int64 = 16

    package init(_ directory: OrganizationDirectory) throws(OrganizationDirectory.Failure) {
        self.directory = directory
        settings = try directory.engineSettings()
        owner = try directory.seed(Self.operatorSeed, .operator)
        account = try directory.seed(Self.accountSeed, .account)
    }

    /// Makes all keys, once. The settings are written last: with them the engine is there.
    package static func make(
        in directory: OrganizationDirectory, named name: String, _ settings: EngineSettings,
        at now: Int64
    ) throws(OrganizationDirectory.Failure) -> Engine {
        let owner = NKeySeed(random: .operator)
        let (account, system) = (NKeySeed(random: .account), NKeySeed(random: .account))
        let authority = try directory.openssl { () throws(CertificateAuthority.Failure) in
            try CertificateAuthority.make(named: "mamd \(owner.key.description.prefix(12))")
        }
        for (file, seed) in [(operatorSeed, owner), (accountSeed, account), (systemSeed, system)] {
            try directory.write(file, secret: .joining([.secret(seed.text), .text("\n")]))
        }
        try directory.write(authorityKey, secret: authority.key)
        try directory.write(Self.authority, authority.certificate)
        try directory.write(
            operatorToken,
            .forOperator(owner, named: name, systemAccount: system.key, issued: now))
        try directory.write(
            systemToken,
            .forAccount(system.key, named: "system", streams: nil, issued: now, by: owner))
        try directory.write(accountToken, Self.token(of: account, [:], at: now, by: owner))
        try directory.writeCredentials(credentials, named: "admin", by: account, at: now)
        try directory.writeCredentials(systemCredentials, named: "system", by: system, at: now)
        try directory.write(EngineSettings.file, directory.lines(settings.json))
        return try Engine(directory)
    }

    static func token(
        of account: NKeySeed, _ revoked: [NKey: Int64], readmitted: [NKey: Int64] = [:],
        at now: Int64, by owner: NKeySeed
    ) -> Token? {
        .forAccount(
            account.key, named: accountName, streams: streamCount,
            revoked: revoked, readmitted: readmitted, issued: now, by: owner)
    }

    package mutating func change(_ settings: EngineSettings) throws(OrganizationDirectory.Failure) {
        try directory.write(EngineSettings.file, directory.lines(settings.json))
        self.settings = settings
    }

    // MARK: Clients

    /// The code of an invitation, with its secret.
    package func invite(
        _ invitation: InvitationRecord, _ seed: NKeySeed, fingerprint: String
    ) throws(OrganizationDirectory.Failure) -> InvitationCode {
        let token = Token.forUser(
            seed.key, named: "invitation \(invitation.id)", .invitation(invitation.id),
            issued: invitation.created, expires: invitation.expires, by: account)
        let pem = try directory.read(Self.authority, atMost: 65_536)
        guard let token else { throw directory.failure(Self.accountSeed, Self.erased) }
        guard let der = derOfPEM(pem) else {
            throw directory.failure(Self.authority, .malformed("it is no certificate in PEM"))
        }
        return InvitationCode(
            invitation.id, fingerprint: fingerprint, settings, authority: der, token, seed)
    }

    /// What an admitted machine connects with.
    package func token(
        of machine: RegisteredMachine, at now: Int64
    ) throws(OrganizationDirectory.Failure) -> Token {
        let token = Token.forUser(
            machine.transportKey, named: "machine \(machine.machine)", .machine(machine.machine),
            issued: now, by: account)
        guard let token else { throw directory.failure(Self.accountSeed, Self.erased) }
        return token
    }

    /// Revokes all tokens of the users until now, by a new token of the account for the servers.
    /// `users`: with the time of their newest tokens, which a clock ahead may have signed.
    package func revoke(
        _ users: [NKey: Int64], at now: Int64
    ) throws(OrganizationDirectory.Failure) {
        let former = try directory.token(Self.accountToken)
        var revoked = former.revoked
        // Later than any that a readmission has ended, and than itself before.
        for (user, issued) in users {
            let ended = (former.readmitted[user] ?? 0) + 1
            revoked[user] = max(now, issued, ended, revoked[user] ?? 0)
        }
        try replace(former, revoked, former.readmitted, at: now)
    }

    private static let erased = Refusal.malformed("the seed is gone")
}

extension OrganizationDirectory {
    package func token(_ name: String) throws(Failure) -> Token {
        try read(name, atMost: Token.maximumByteCount) { bytes throws(Refusal) in
            try Token(parsing: String(decoding: bytes, as: UTF8.self).withoutLineFeed)
        }
    }

    package func engineSettings() throws(Failure) -> EngineSettings {
        let limit = EngineSettings.maximumByteCount
        return try read(EngineSettings.file, atMost: limit) { bytes throws(Refusal) in
            try EngineSettings(parsing: bytes)
        }
    }

    package func seed(_ name: String, _ role: NKey.Role) throws(Failure) -> NKeySeed {
        let text = try readSecret(name, atMost: NKeySeed.textByteCount + 1)
        let line = text.withBytes { bytes in
            SecretBytes(copying: .init(rebasing: bytes.prefix { $0 != 0x0A }))
        }
        do throws(NKeySeed.Malformed) { return try NKeySeed(parsing: line, role) } catch {
            throw failure(name, .malformed("\(error)"))
        }
    }

    func write(_ name: String, _ token: Token?) throws(Failure) {
        guard let token else { throw failure(name, .malformed("the seed is gone")) }
        try write(name, Array(token.text.utf8))
    }

    fileprivate func writeCredentials(
        _ file: String, named name: String, by account: NKeySeed, at now: Int64
    ) throws(Failure) {
        let seed = NKeySeed(random: .user)
        let token = Token.forUser(seed.key, named: name, .all, issued: now, by: account)
        guard let token else { throw failure(file, .malformed("the seed is gone")) }
        try write(file, secret: Credentials(token, seed).text)
    }
}

extension String {
    fileprivate var withoutLineFeed: String { hasSuffix("\n") ? String(dropLast()) : self }
}

/// The first certificate of a PEM file, in DER.
func derOfPEM(_ pem: [UInt8]) -> [UInt8]? {
    let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n")
    guard let start = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"),
        let end = lines.firstIndex(of: "-----END CERTIFICATE-----"), start < end
    else { return nil }
    return bytes(base64: lines[(start + 1)..<end].joined())
}

/// The certificates of a PEM file, each in PEM; none of what is damaged.
package func certificates(ofPEM pem: [UInt8]) -> [[UInt8]] {
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n")
    // What is behind the last end is none.
    return lines.split(separator: Substring(end), omittingEmptySubsequences: false).dropLast()
        .filter { $0.first == Substring(begin) }
        .map { Array((($0 + [Substring(end), ""]).joined(separator: "\n")).utf8) }
}

/// A certificate in PEM, as OpenSSL writes it.
package func pem(ofDER der: [UInt8]) -> String {
    let digits = Array(base64(der))
    let lines = stride(from: 0, to: digits.count, by: 64).map {
        String(digits[$0..<min($0 + 64, digits.count)])
    }
    return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""])
        .joined(separator: "\n")
}
