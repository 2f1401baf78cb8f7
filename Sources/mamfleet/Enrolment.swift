// What the machine knows of its organisation's servers, and the clients that it connects as.

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

/// The content of enrolment.json. The seeds are files of their own.
struct Enrolment: Sendable {
    let organization: Bytes16
    let machine: MachineID
    var servers: [String]
    /// Certificates in PEM; nil for the system's.
    var authority: String?
    /// The base of the bundles' addresses.
    var https: String?
    /// The invitation, until the administrator has answered.
    var invitation: Invitation?
    /// The machine's own token, once it has one.
    var token: String?
    /// The invitation that this machine was let in by, once it has connected with the token.
    var used: Bytes16?

    struct Invitation: Sendable {
        let id: Bytes16
        let token: String
        /// The machine's signed request.
        let request: String
        /// Whether the server has the request.
        var isSent: Bool
    }

    static let file = "enrolment.json"
    static let transportFile = "transport.nk"
    static let invitationFile = "invitation.nk"

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "organization": .string(organization.description),
            "machine": .string(machine.description),
            "servers": JSONValue(texts: servers),
        ]
        members["authority"] = authority.map { .string($0) }
        members["https"] = https.map { .string($0) }
        members["token"] = token.map { .string($0) }
        members["used"] = used.map { .string($0.description) }
        members["invitation"] = invitation.map {
            [
                "id": .string($0.id.description), "token": .string($0.token),
                "request": .string($0.request), "isSent": .bool($0.isSent),
            ]
        }
        return .object(members)
    }

    init(
        organization: Bytes16, machine: MachineID, servers: [String], authority: String?,
        https: String?
    ) {
        (self.organization, self.machine) = (organization, machine)
        (self.servers, self.authority, self.https) = (servers, authority, https)
    }

    init?(_ json: JSONValue) {
        guard let organization = json.object?["organization"]?.text.flatMap(Bytes16.init(hex:)),
            let machine = json.object?["machine"]?.text.flatMap(Bytes16.init(hex:))
        else { return nil }
        self.init(
            organization: organization, machine: machine,
            servers: (json.object?["servers"]?.array ?? []).compactMap(\.text),
            authority: json.object?["authority"]?.text, https: json.object?["https"]?.text)
        token = json.object?["token"]?.text
        used = json.object?["used"]?.text.flatMap(Bytes16.init(hex:))
        invitation = json.object?["invitation"]?.object.flatMap { members in
            guard let id = members["id"]?.text.flatMap(Bytes16.init(hex:)),
                let token = members["token"]?.text, let request = members["request"]?.text
            else { return nil }
            return Invitation(
                id: id, token: token, request: request, isSent: members["isSent"]?.bool ?? false)
        }
    }

    static func read(_ state: StateDirectory) throws(Failure) -> Enrolment {
        let next: Message = "mamctl fleet join CODE"
        let bytes = try naming("\(state.path)/\(file)") { () throws(Errno) in
            try state.read(file)
        }
        guard let bytes else {
            throw Failure(.notFound, "\(state.path): this machine is not enrolled", next: next)
        }
        guard let json = try? JSONValue(parsing: bytes), let enrolment = Enrolment(json) else {
            throw Failure(.damaged, "\(state.path)/\(file) is damaged", next: next)
        }
        return enrolment
    }

    func write(_ state: StateDirectory) throws(Failure) {
        try naming("\(state.path)/\(Self.file)") { () throws(Errno) in
            try state.replace(Self.file, with: json.encoded(pretty: true))
        }
    }
}

/// The clients that a machine can connect as.
enum Client: Sendable {
    case machine
    case invitation(Enrolment.Invitation)
}

extension Enrolment {
    func options(as client: Client, seed: NKeySeed) -> NatsOptions {
        let (id, token) =
            switch client {
            case .machine: (machine, token ?? "")
            case .invitation(let invitation): (invitation.id, invitation.token)
            }
        return NatsOptions(
            servers: servers, authority: authority,
            credentials: NatsCredentials(token: token) { seed.sign($0) },
            inboxPrefix: Subject.inbox(id), name: "mamfleet \(id)")
    }
}

extension NKeySeed {
    /// Reads a file that has the seed's text, and perhaps a line feed.
    static func read(_ path: String) throws(Failure) -> NKeySeed {
        let file = try naming(path) { () throws(Errno) in
            try SecretBytes.read(path, atMost: textByteCount + 2)
        }
        let text = file.withBytes { bytes in
            let isEnded = bytes.count == textByteCount + 1 && bytes.last == 0x0A
            return SecretBytes(copying: .init(rebasing: isEnded ? bytes.dropLast() : bytes[...]))
        }
        do throws(Malformed) { return try NKeySeed(parsing: text, .user) } catch {
            throw Failure(.damaged, "\(path): \(error)")
        }
    }

    func write(_ state: StateDirectory, _ name: String) throws(Failure) {
        try naming("\(state.path)/\(name)") { () throws(Errno) in
            try text.withBytes { bytes throws(Errno) in
                try state.replace(name, withSecret: bytes)
            }
        }
    }
}
