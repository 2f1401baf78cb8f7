// `mamfleet join`: from a code to a machine that the organisation knows.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMOffice
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func join(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    var joining = try Joining(arguments)
    let token = try joining.join(waitSeconds: try arguments.seconds("wait") ?? 30)
    let next = joining.serviceCommand
    if arguments.has("json") {
        printJSON(try joining.json(isAdmitted: token != nil))
    } else if token == nil {
        printOut(
            "joined as machine \(joining.machine); the administrator has not let it in yet, and"
                + " mamfleet@\(joining.place.workspace) goes on asking")
    } else {
        printOut("joined as machine \(joining.machine), and let in")
    }
    if !arguments.has("json") { printError(verbatim: "  next: \(next)") }
    return .success
}

/// One attempt to join. What it has done before a failure, the next one does not do again.
private struct Joining {
    let place: DaemonPlace
    let state: StateDirectory
    private(set) var machine = Bytes16(high: 0, low: 0)
    private let code: InvitationCode
    private let transport: NKeySeed
    private let daemon: DaemonLink

    init(_ arguments: Arguments) throws(Failure) {
        code = try arguments.invitationCode()
        place = try arguments.daemonPlace()
        daemon = DaemonLink(place)
        state = try StateDirectory(
            StateDirectory.path(of: place.workspace, arguments.string("state")))
        let path = "\(state.path)/\(Enrolment.transportFile)"
        if access(path, F_OK) == 0 {
            transport = try NKeySeed.read(path)
        } else {
            transport = NKeySeed(random: .user)
            try transport.write(state, Enrolment.transportFile)
        }
    }

    var serviceCommand: String {
        let user = geteuid() == 0 ? "" : " --user"
        return "systemctl\(user) enable --now mamfleet@\(place.workspace)"
    }

    /// The reply of Show, with what is known here.
    func json(isAdmitted: Bool) throws(Failure) -> JSONValue {
        var members = try call(Varlink.Fleet.Show()).organization?.json.object ?? [:]
        members["state"] = .string(isAdmitted ? "admitted" : "pending")
        members["workspace"] = .string(place.workspace.description)
        members["directory"] = .string(state.path)
        return .object(members)
    }

    /// The machine's token; nil if the administrator does not answer in time.
    mutating func join(waitSeconds: Int) throws(Failure) -> String? {
        // If one of these fails, nothing is used up.
        let joined = try call(Varlink.Fleet.Show()).organization
        let known = try formerEnrolment()
        if let joined, let former = known, former.used == code.invitation,
            former.organization.description == joined.id,
            former.machine.description == joined.machine
        {
            machine = former.machine
            return former.token
        }
        let connection = try connect()
        let bundles = try documents(connection)
        let first = try pinnedRoot(bundles)
        if let joined, try organization(of: first).description != joined.id {
            throw Failure(
                .refused, "this workspace has joined \(joined.name) already",
                next: "mamctl fleet show")
        }
        if let joined, known?.invitation?.id != code.invitation {
            // Before the code is used up.
            printError(
                "this workspace has joined \(joined.name) before, as machine \(joined.machine):"
                    + " it asks to be let in again, by this code")
        }
        let hasJoined = joined == nil
        machine = try joinDaemon(joined, bundles, first)
        var enrolment = try enrolment(of: first)
        try deliver(bundles)
        let asking = Asking(connection, try invitation(of: enrolment), transport)
        if enrolment.invitation?.isSent != true {
            try send(asking, undoing: hasJoined)
            enrolment.invitation?.isSent = true
            try write(enrolment)
        }
        guard let token = try wait(for: asking, seconds: waitSeconds) else { return nil }
        enrolment.token = token
        try write(enrolment)
        return token
    }

    private func write(_ enrolment: Enrolment) throws(Failure) {
        try enrolment.write(state)
        try state.give(to: "mamfleet")
    }

    private func call<Request: VarlinkRequest>(
        _ request: Request
    ) throws(Failure) -> Request.Reply {
        do throws(VarlinkClient.Failure) { return try daemon.call(request) } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: VarlinkClient.Failure) -> Failure {
        Failure(ExitStatus(error), "workspace '\(place.workspace)': \(error.words)")
    }

    // MARK: The engine

    private var servers: String { code.servers.joined(separator: ", ") }

    private func connect() throws(Failure) -> NatsConnection {
        let seed = code.seed
        let options = NatsOptions(
            servers: code.servers.map(serverURL), authority: code.authority.map(pem(ofDER:)),
            credentials: NatsCredentials(token: code.token.text) { seed.sign($0) },
            inboxPrefix: Subject.inbox(code.invitation), name: "mamfleet join")
        if let expires = code.token.expires, expires <= Timestamp.now.milliseconds / 1000 {
            throw Failure(
                .refused, "the code expired at \(rfc3339(expires))", next: anotherCode)
        }
        do throws(NatsFailure) { return try NatsConnection(options) { _ in } } catch {
            switch error {
            case .notAllowed:
                throw Failure(
                    .refused, "\(servers): the code was withdrawn, or has expired",
                    next: anotherCode)
            case .plain: throw Failure(error, servers)
            case .untrusted(let text):
                throw Failure(
                    .refused, "\(servers): another certificate than the code names: \(text)",
                    next: "somebody is in between, or \(anotherCode)")
            default:
                throw Failure(
                    .unreachable, "\(servers): \(error)",
                    next: "check the network and its firewall, and try again")
            }
        }
    }

    private typealias Bundles = [(place: BundlePlace, envelopes: [Envelope])]

    private func documents(_ connection: NatsConnection) throws(Failure) -> Bundles {
        var all: Bundles = []
        for place in [BundlePlace.roots, .all, .time] {
            let message = try naming("\(servers): \(place.subject)") { () throws(NatsFailure) in
                try repeating { () throws(NatsFailure) in
                    try connection.lastMessage(of: place.subject, in: Stream.docs.rawValue)
                }
            }
            guard let message else { continue }
            do throws(Refusal) {
                all.append((place, try Bundle(parsing: message.payload).envelopes))
            } catch { throw Failure(.damaged, "the server's \(place.subject): \(error)") }
        }
        guard all.first?.place == .roots, !all[0].envelopes.isEmpty else {
            throw Failure(
                .notFound, "the organisation has published nothing yet",
                next: "have its administrator run: mamctl fleet push")
        }
        return all
    }

    private func pinnedRoot(_ bundles: Bundles) throws(Failure) -> Envelope {
        guard let root = bundles[0].envelopes.first(where: { $0.fingerprint == code.fingerprint })
        else {
            throw Failure(
                .refused,
                "the server has no root with the code's fingerprint, \(code.fingerprint)",
                next: "somebody has changed the documents, or \(anotherCode)")
        }
        return root
    }

    // MARK: The daemon

    private func organization(of root: Envelope) throws(Failure) -> Bytes16 {
        do throws(Refusal) { return try root.statement().organization } catch {
            throw Failure(.damaged, "the root: \(error)")
        }
    }

    private func joinDaemon(
        _ joined: Varlink.Fleet.Organization?, _ bundles: Bundles, _ first: Envelope
    ) throws(Failure) -> MachineID {
        let id = if let joined { joined.machine } else { try pin(first, bundles) }
        guard let machine = Bytes16(hex: id) else {
            throw Failure(.failure, "the daemon is of another version")
        }
        return machine
    }

    /// Joins with the first documents, so that no account is closed meanwhile, if the pinned root
    /// is the one in force; later roots come after it.
    private func pin(_ first: Envelope, _ bundles: Bundles) throws(Failure) -> String {
        let root = Varlink.Fleet.Join(root: first.text, fingerprint: code.fingerprint)
        guard bundles[0].envelopes.last == first else {
            return try call(root).organization.machine
        }
        var whole = root
        whole.documents = bundles.dropFirst().flatMap { $0.envelopes.map(\.text) }
        do throws(VarlinkClient.Failure) {
            return try daemon.call(whole).organization.machine
        } catch {
            // The daemon does not accept one of the documents: each goes by itself, then.
            guard case .refused = error else { throw failure(error) }
            return try call(root).organization.machine
        }
    }

    private func deliver(_ bundles: Bundles) throws(Failure) {
        for envelope in bundles.flatMap(\.envelopes) {
            do throws(VarlinkClient.Failure) {
                _ = try daemon.call(Varlink.Fleet.Deliver(document: envelope.text))
            } catch {
                // The daemon refuses former roots, and documents that were made up.
                if case .refused = error { continue }
                throw failure(error)
            }
        }
    }

    /// The enrolment of a former attempt with this code, or a new one.
    private func enrolment(of root: Envelope) throws(Failure) -> Enrolment {
        let former = try formerEnrolment()
        if let former, former.machine == machine, former.invitation?.id == code.invitation {
            return former
        }
        let organization = try organization(of: root)
        // Recovery records go out again.
        state.remove(Reporter.recordsFile)
        if former?.organization != organization { try forgetBundles() }
        var enrolment = Enrolment(
            organization: organization, machine: machine, servers: code.servers.map(serverURL),
            authority: code.authority.map(pem(ofDER:)), https: code.https)
        let request = try call(
            Varlink.Fleet.Enrol(
                invitation: code.invitation.description, transportKey: "\(transport.key)")
        ).request
        enrolment.invitation = Enrolment.Invitation(
            id: code.invitation, token: code.token.text, request: request, isSent: false)
        try code.seed.write(state, Enrolment.invitationFile)
        try write(enrolment)
        return enrolment
    }

    /// Nil also for a damaged enrolment, which may be of any organisation.
    private func formerEnrolment() throws(Failure) -> Enrolment? {
        do throws(Failure) { return try Enrolment.read(state) } catch {
            guard error.status == .notFound || error.status == .damaged else { throw error }
            return nil
        }
    }

    /// Removes all bundles, so that none of another organisation's goes to the daemon.
    private func forgetBundles() throws(Failure) {
        let names = try naming(state.path) { () throws(Errno) in try state.names() }
        for name in names where BundleKey(file: name) != nil { state.remove(name) }
    }

    private func invitation(of enrolment: Enrolment) throws(Failure) -> Enrolment.Invitation {
        guard let invitation = enrolment.invitation else {
            throw Failure(
                .failure, "this machine is let in already", next: .verbatim(serviceCommand))
        }
        return invitation
    }

    // MARK: The administrator

    private func send(_ asking: Asking, undoing: Bool) throws(Failure) {
        do throws(NatsFailure) {
            try repeating { () throws(NatsFailure) in try asking.send() }
        } catch {
            guard error.isUsedAlready else { throw Failure(error, "\(servers): the request") }
            for file in [Enrolment.file, Enrolment.invitationFile] { state.remove(file) }
            if undoing { try leave() }
            throw Failure(
                .refused, "the code was used already, by another machine", next: anotherCode)
        }
    }

    private func leave() throws(Failure) {
        do throws(VarlinkClient.Failure) { _ = try daemon.call(Varlink.Fleet.Leave()) } catch {
            // There are accounts already: the workspace stays joined, and obeys.
            guard case .refused = error else { throw failure(error) }
        }
    }

    private func wait(for asking: Asking, seconds: Int) throws(Failure) -> String? {
        let end = Deadline(seconds: seconds)
        repeat {
            let answer = try naming("\(servers): the answer") { () throws(NatsFailure) in
                try repeating { () throws(NatsFailure) in try asking.answer() }
            }
            switch answer {
            case .none: break
            case .token(let token): return token
            case .forAnotherKey:
                throw Failure(
                    .refused, "the administrator's answer is for another key", next: anotherCode)
            }
            Deadline(milliseconds: 500).wait()
        } while !end.hasPassed
        return nil
    }
}

extension Envelope {
    fileprivate var text: String { String(decoding: json.encoded(), as: UTF8.self) }
}

/// Repeats what may be done twice, while a stream has no leader because a server has just died.
private func repeating<Value>(
    _ body: () throws(NatsFailure) -> Value
) throws(NatsFailure) -> Value {
    let end = Deadline(seconds: 20)
    while true {
        do throws(NatsFailure) { return try body() } catch {
            if case .connection = error { throw error }
            guard error.mayPass, !end.hasPassed else { throw error }
        }
        Deadline(milliseconds: 500).wait()
    }
}
