// The organisation's directory, and the administrator's connections.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// The organisation's directory ORG that `push` and `pull` work on.
struct Office: Sendable {
    let directory: OrganizationDirectory
    let organization: Bytes16
    let settings: EngineSettings
    private let authority: String

    var path: String { directory.path.shown }

    init(_ arguments: Arguments) throws(Failure) {
        let path =
            arguments.operands.first?.wireText ?? getenv("MAMCTL_ORGANIZATION").map {
                String(cString: $0)
            }
            ?? "."
        directory = OrganizationDirectory(ByteString(path))
        do throws(OrganizationDirectory.Failure) {
            organization = try directory.rootInForce().document.statement.organization
        } catch { throw Failure(error, next: "name its directory: ORG, or MAMCTL_ORGANIZATION") }
        do throws(OrganizationDirectory.Failure) {
            settings = try directory.engineSettings()
            let pem = try directory.read(Engine.authority, atMost: 1 << 16)
            authority = String(decoding: pem, as: UTF8.self)
        } catch { throw Failure(error, next: "mamctl fleet engine init --organization \(path)") }
    }

    /// Links of the administrator, as the user of a credentials file.
    func link(as file: String, _ servers: EngineServers) throws(Failure) -> OfficeLink {
        let credentials: Credentials
        do throws(OrganizationDirectory.Failure) {
            let text = try directory.readSecret(file, atMost: Credentials.maximumByteCount)
            do throws(Refusal) { credentials = try Credentials(parsing: text) } catch {
                throw directory.failure(file, error)
            }
        } catch { throw Failure(error, next: "mamctl fleet engine init --organization \(path)") }
        let seed = credentials.seed
        let options = NatsOptions(
            servers: [], authority: authority,
            credentials: NatsCredentials(token: credentials.token.text) { seed.sign($0) },
            inboxPrefix: "_INBOX.\(SecureRandom.bytes16())", name: "mamfleet")
        return OfficeLink(options, servers)
    }
}

/// Fails with the path in front.
func naming<Value>(
    _ path: String, _ body: () throws(Errno) -> Value
) throws(Failure) -> Value {
    do throws(Errno) { return try body() } catch {
        throw Failure(.failure, "\(path): \(error)")
    }
}

/// The same of what the engine was asked about.
func naming<Value>(
    _ subject: String, _ body: () throws(NatsFailure) -> Value
) throws(Failure) -> Value {
    do throws(NatsFailure) { return try body() } catch { throw Failure(error, subject) }
}

func serverURL(_ name: String) -> String { "tls://\(name)" }

extension Failure {
    init(_ failure: OrganizationDirectory.Failure, next: Message? = nil) {
        let path = failure.path.shown
        switch failure.reason {
        case .system(let error):
            self.init(
                error == .noEntry ? .notFound : .failure, "\(path): \(error)", next: next)
        case .refusal(let refusal): self.init(.damaged, "\(path): \(refusal)")
        case .exposed:
            self.init(
                .refused, "\(path): others may read this secret", next: "chmod 600 \(path)")
        }
    }

    init(_ failure: NatsFailure, _ subject: String) {
        self.init(failure.status, "\(subject): \(failure)", next: failure.next)
    }
}

extension NatsFailure {
    var status: ExitStatus {
        switch self {
        case .notAllowed, .untrusted, .plain: .refused
        case _ where mayPass: .unreachable
        default: .failure
        }
    }

    var next: Message {
        switch self {
        case .connection: "start the server, or check the network and its firewall"
        case .notAllowed: "copy this directory's engine/servers to the servers, and restart them"
        case .untrusted: "mamctl fleet engine renew, and copy the server's files to it"
        case .plain: "systemctl disable --now nats-server there, or name another port"
        case .tooLong: "sign fewer or shorter documents"
        case _ where mayPass: "more than half of the servers must run: look at their logs"
        default: "look at the server's log"
        }
    }
}
