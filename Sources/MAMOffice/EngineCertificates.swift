// When the engine's certificates end, as they were last made here.

internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet

/// A certificate of the engine's.
package struct EngineCertificate: Sendable, Equatable {
    /// The server; nil for the authority.
    package let server: String?
    /// In seconds since 1970.
    package let ends: Int64
    /// An authority's: the next one was made, and is not in use yet.
    package let hasSuccessor: Bool
}

/// What the directory says about them. Who may not read `engine/`, whose keys let anybody in, sees
/// none.
struct EngineCertificates {
    private(set) var all: [EngineCertificate] = []
    private(set) var unusable: [UnusableFile] = []

    /// How long before its end a server's is due to be made anew, and the authority's: machines
    /// that are away meanwhile must come back before the next one is used.
    private static let serverSeconds: Int64 = 30 * secondsPerDay
    private static let authoritySeconds: Int64 = 365 * secondsPerDay

    init(_ directory: OrganizationDirectory) {
        guard let settings = try? directory.engineSettings() else { return }
        add(nil, Engine.authority, directory)
        for server in settings.servers.compactMap(ServerName.init) {
            let file = "\(Engine.servers)/\(server.label)/\(ServerConfiguration.certificate)"
            add("\(server)", file, directory)
        }
    }

    private mutating func add(
        _ server: String?, _ name: String, _ directory: OrganizationDirectory
    ) {
        let isNextMade = (try? directory.has(Engine.nextAuthorityKey)) ?? false
        let found = directory.reading(name, atMost: 1 << 16) { bytes throws(Refusal) in
            guard let end = certificateEnd(bytes) else {
                throw .malformed("it is no certificate in PEM")
            }
            return EngineCertificate(
                server: server, ends: end, hasSuccessor: server == nil && isNextMade)
        }
        switch found {
        case nil: break
        case .success(let certificate): all.append(certificate)
        case .failure(let file): unusable.append(file)
        }
    }

    /// Those that end soon, and have ended.
    func flaws(at now: Int64) -> [Wanted.Flaw] {
        unusable.map { .unusable($0) }
            + all.compactMap { certificate in
                let margin =
                    certificate.server == nil ? Self.authoritySeconds : Self.serverSeconds
                guard certificate.ends <= now + margin else { return nil }
                return certificate.ends <= now
                    ? .certificateEnded(certificate) : .certificateEnds(certificate)
            }
    }
}
