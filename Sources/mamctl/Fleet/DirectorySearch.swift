// Asks an LDAP directory by ldapsearch(1), which alone has the connection.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// Every search has a connection of its own, which is TLS, its certificate verified, or a socket of
/// this machine. No configuration of ldapsearch's counts, and no referral is followed. The limits
/// are for all searches together: a server may list a group's members in parts without end.
final class DirectorySearch {
    private let settings: PeopleSettings
    private let certificates: ByteString
    /// A memory file, so that no argument has the password.
    private let password: Descriptor?
    private let deadline = Deadline(seconds: maximumSeconds)
    private var bytesLeft = maximumByteCount

    /// As many as slapd gives at once, unless it is told otherwise; Active Directory gives 1,000.
    private static let pageSize = 500
    private static let maximumByteCount = 256 << 20
    private static let maximumSeconds = 300
    /// ldapsearch itself waits for ever for a server that has accepted the connection.
    private static let maximumSilentSeconds = 20

    init(_ settings: PeopleSettings, _ place: OrganizationDirectory) throws {
        self.settings = settings
        certificates =
            settings.certificates.hasPrefix("/")
            ? ByteString(settings.certificates) : place.whole(settings.certificates)
        guard settings.isLocal || access(certificates.cString, R_OK) == 0 else {
            throw Failure(certificates, .current)
        }
        guard let name = settings.passwordFile else {
            password = nil
            return
        }
        let secret = try place.readSecret(name, atMost: 1024)
        password = try secret.withBytes { bytes throws in
            let isEnded = bytes.last == UInt8(ascii: "\n")
            let line = UnsafeRawBufferPointer(rebasing: isEnded ? bytes.dropLast() : bytes[...])
            // With an empty one a server lets everybody in, as nobody.
            guard !line.isEmpty else {
                throw Failure(
                    .refused, "\(place.whole(name).shown): it has no password",
                    next: "write the password of \(settings.bindDN ?? "") there")
            }
            let file = try makeMemoryFile([])
            _ = try retrying { fchmod(file.raw, 0o600) }
            try writeFully(file.raw, from: line, at: 0)
            return file
        }
    }

    func entries(
        below base: String, _ filter: String, _ attribute: String
    ) throws -> [DirectoryEntry] {
        try DirectoryEntry.all(in: answer(to: ["-b", base, "-s", "sub", filter, attribute]))
    }

    /// One entry; nil if it is gone.
    func entry(_ dn: String, _ attribute: String) throws -> DirectoryEntry? {
        let words = ["-b", dn, "-s", "base", "(objectClass=*)", attribute]
        return try DirectoryEntry.all(in: answer(to: words)).first
    }

    // MARK: ldapsearch

    private func answer(to question: [String]) throws -> [UInt8] {
        let words =
            (["ldapsearch"] + Self.form + connection + ["-o"]).map { ByteString($0) }
            + [assignment("TLS_CACERT=", certificates)] + question.map { ByteString($0) }
        let program = BoundedOutput(
            atMost: bytesLeft, within: deadline, longestSilence: Self.maximumSilentSeconds)
        let end: ProcessEnd
        do throws(Errno) {
            end = try program.run(
                words, input: password, environment: [ByteString("LDAPNOINIT=1"), searchPath])
        } catch {
            guard error == .noEntry else { throw Failure("ldapsearch: \(error)") }
            throw Failure(.notFound, "ldapsearch: \(error)", next: "apt install ldap-utils")
        }
        guard end == .exited(0) else { throw failure(end, program) }
        bytesLeft -= program.bytes.count
        return program.bytes
    }

    private static let form = [
        "-LLL", "-o", "ldif-wrap=no", "-o", "nettimeout=\(maximumSilentSeconds)",
        "-E", "pr=\(pageSize)/noprompt",
    ]

    private var connection: [String] {
        var words = ["-H", settings.uri, "-o", "TLS_REQCERT=demand"]
        // Or nothing is told.
        if settings.uri.hasPrefix("ldap:") { words.append("-ZZ") }
        return words
            + (settings.bindDN.map { ["-x", "-D", $0, "-y", "/dev/stdin"] }
                ?? ["-Q", "-Y", "EXTERNAL"])
    }

    private var searchPath: ByteString {
        let path = getenv("PATH").map { ByteString(cString: $0) }
        return assignment("PATH=", path ?? ByteString("/usr/bin:/bin"))
    }

    /// Paths are bytes.
    private func assignment(_ name: String, _ path: ByteString) -> ByteString {
        ByteString(Array(name.utf8) + path.bytes)
    }

    /// By its status, which is LDAP's result (RFC 4511), or by what it has said.
    private func failure(_ end: ProcessEnd, _ program: BoundedOutput) -> Failure {
        if let limit = program.limit {
            return Failure(
                .unreachable, "\(settings.uri): \(limit)",
                next: "see whether the server is well, or narrow base and filter")
        }
        let lines = program.complaint.split(separator: "\n")
        let said = excerpt(of: lines.first.map(String.init) ?? "")
        let words: Message = "\(settings.uri): \(said.isEmpty ? "ldapsearch \(end)" : said)"
        switch end {
        case .exited(3), .exited(4), .exited(11):
            return Failure(
                .refused, "\(words): these are not all",
                next: "raise this limit for \(settings.bindDN ?? "this user") at the server")
        case .exited(10):
            return Failure(.refused, words, next: "name a base that is on this server")
        case .exited(32):
            return Failure(
                .notFound, words, next: "correct base or groupBase in \(PeopleSettings.file)")
        case .exited(49), .exited(50), .exited(53):
            return Failure(.refused, words, next: "correct bindDN and the password's file")
        case .exited(1), .exited(255), .exited(51), .exited(52):
            return Failure(
                .unreachable, words,
                next: "see whether it runs, and whether \(certificates.shown) vouches for it")
        default:
            return Failure(.failure, words, next: "correct \(PeopleSettings.file)")
        }
    }
}
