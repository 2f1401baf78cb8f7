// The first carrier: the connection to the engine, made again for ever.

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

/// One thread, which may wait for the network.
final class EngineLink {
    private let shared: Shared
    private let transport: NKeySeed
    private var backoff = Backoff(firstMilliseconds: 10_000, lastMilliseconds: 300_000)
    /// Whether the invitation's turn is next: it and the machine's token are tried in turn, as long
    /// as the token has not worked.
    private var usesInvitation = false
    private var lastWords = ""
    /// The number of the last connection: the end of a former one is ignored.
    private var connectionNumber = 0

    /// A connection that lives so long was a good one.
    private static let goodSeconds = 30
    /// How often the administrator's answer is looked for.
    private static let askSeconds = 60
    /// A server that the others have lost, or whose disk is full, answers with old documents, and
    /// sends no new ones. So all are fetched again now and then, and after some times from another.
    private static let lookSeconds = 600
    private static let looksOfOneServer = 4

    init(_ shared: Shared, _ transport: NKeySeed) {
        (self.shared, self.transport) = (shared, transport)
    }

    func run() -> Never {
        // Machines that start together do not come together.
        Deadline(milliseconds: Int.random(in: 0...500)).wait()
        while true {
            let good = Deadline(seconds: Self.goodSeconds)
            let failure = live()
            shared.setConnection(nil)
            if good.hasPassed { backoff.reset() }
            if let change = failure as? Changed {
                say(change.description)
                continue
            }
            say("not connected: \(failure)")
            Deadline(milliseconds: backoff.next()).wait()
        }
    }

    /// The connection must be made anew at once, by another client or to another server.
    private struct Changed: Error, CustomStringConvertible {
        let description: String
    }

    /// Connects, and returns why the connection has ended.
    private func live() -> any Error {
        do {
            let enrolment = shared.read { $0.enrolment }
            guard let invitation = enrolment.invitation else {
                return try serve(enrolment)
            }
            guard enrolment.token == nil || usesInvitation else {
                usesInvitation = true
                return try serve(enrolment)
            }
            usesInvitation = false
            return try ask(enrolment, invitation)
        } catch { return error }
    }

    private func say(_ words: String) {
        if words != lastWords { shared.log.info(words) }
        lastWords = words
    }

    private func connect(
        _ enrolment: Enrolment, as client: Client, _ seed: NKeySeed
    ) throws -> NatsConnection {
        connectionNumber += 1
        return try NatsConnection(enrolment.options(as: client, seed: seed)) {
            [shared, connectionNumber] failure in
            shared.link.put(.ended(failure, connectionNumber))
        }
    }

    // MARK: As the machine

    private func serve(_ enrolment: Enrolment) throws -> any Error {
        let connection = try connect(enrolment, as: .machine, transport)
        var groups = shared.groups
        // Subscribed before they are fetched: what comes in between comes twice, and nothing is
        // missed.
        let places = BundlePlace.all(for: shared.machine, groups: groups)
        for place in places { try subscribe(connection, place) }
        try connection.subscribe(Subject.authority) { [shared] message in
            shared.link.put(.authority(message.payload))
        }
        for place in places { try fetch(connection, place) }
        say("connected as machine \(enrolment.machine)")
        finishEnrolment()
        try fetchAuthority(connection)
        shared.setConnection(connection)
        shared.reports.put(())
        for _ in 0..<Self.looksOfOneServer {
            let deadline = jittered(seconds: Self.lookSeconds)
            if let failure = try listen(connection, &groups, until: deadline) { return failure }
            for place in BundlePlace.all(for: shared.machine, groups: groups) {
                try fetch(connection, place)
            }
            try fetchAuthority(connection)
        }
        return Changed(description: "asks another server")
    }

    /// Waits until the deadline, or returns why the connection has ended.
    private func listen(
        _ connection: NatsConnection, _ groups: inout Set<String>, until deadline: Deadline
    ) throws -> (any Error)? {
        while !deadline.hasPassed {
            for event in shared.link.take(until: deadline) {
                switch event {
                case .ended(let failure, let number):
                    if number == connectionNumber { return failure }
                case .groups:
                    let new = shared.groups.subtracting(groups)
                    for name in new.sorted().map({ BundlePlace.group($0) }) {
                        try subscribe(connection, name)
                        try fetch(connection, name)
                    }
                    groups.formUnion(new)
                case .authority(let pem): believe(pem)
                case .answered: break
                }
            }
        }
        return nil
    }

    private func subscribe(_ connection: NatsConnection, _ name: BundlePlace) throws {
        try connection.subscribe(name.subject) { [shared] message in
            shared.inbox.put(
                ArrivedBundle(key: BundleKey(.nats, name), bytes: message.payload))
        }
    }

    private func fetch(_ connection: NatsConnection, _ name: BundlePlace) throws {
        let subject = name.subject
        guard let message = try connection.lastMessage(of: subject, in: Stream.docs.rawValue) else {
            return
        }
        shared.inbox.put(ArrivedBundle(key: BundleKey(.nats, name), bytes: message.payload))
    }

    private func fetchAuthority(_ connection: NatsConnection) throws {
        let message = try connection.lastMessage(
            of: Subject.authority, in: Stream.docs.rawValue)
        if let message { believe(message.payload) }
    }

    /// Believes the next authority of the servers' certificates if one that is believed has signed
    /// its key: whoever carries it cannot make it up.
    private func believe(_ pem: [UInt8]) {
        var enrolment = shared.read { $0.enrolment }
        // Without one the system's are believed.
        guard let known = enrolment.authority else { return }
        let believed = certificates(ofPEM: Array(known.utf8))
        let told = certificates(ofPEM: pem)
        guard let next = told.first, let link = told.last, !believed.contains(next) else { return }
        guard isAuthority(next, by: link, of: believed) else {
            return shared.log.warning("the next authority is not signed by the one in use")
        }
        // The newest first: of three the oldest goes.
        enrolment.authority = String(decoding: next + (believed.first ?? []), as: UTF8.self)
        store(enrolment)
        shared.log.info("the servers' next authority is known")
    }

    /// Forgets the invitation, which is of no use once the machine's token works.
    private func finishEnrolment() {
        var enrolment = shared.read { $0.enrolment }
        guard let invitation = enrolment.invitation else { return }
        (enrolment.used, enrolment.invitation) = (invitation.id, nil)
        store(enrolment)
        shared.state.remove(Enrolment.invitationFile)
    }

    private func store(_ enrolment: Enrolment) {
        shared.change { $0.enrolment = enrolment }
        do throws(Failure) { try enrolment.write(shared.state) } catch {
            shared.log.error(error.message.english)
        }
    }

    // MARK: As the invitation

    private func ask(
        _ enrolment: Enrolment, _ invitation: Enrolment.Invitation
    ) throws -> any Error {
        let seed = try NKeySeed.read("\(shared.state.path)/\(Enrolment.invitationFile)")
        let connection = try connect(enrolment, as: .invitation(invitation), seed)
        let asking = Asking(connection, invitation, transport)
        try connection.subscribe(Subject.invited(invitation.id)) { [shared] message in
            shared.link.put(.answered(message.payload))
        }
        for name in [BundlePlace.roots, .all, .time] { try fetch(connection, name) }
        say("waits for the organisation's administrator")
        if !invitation.isSent {
            do throws(NatsFailure) { try asking.send() } catch {
                // The request that was used may be this one, sent just before a crash.
                guard error.isUsedAlready else { throw error }
            }
            var enrolment = enrolment
            enrolment.invitation?.isSent = true
            store(enrolment)
        }
        while true {
            switch try asking.answer() {
            case .none: break
            case .token(let token): return accept(token)
            case .forAnotherKey: say("the administrator's answer is for another key")
            }
            for event in shared.link.take(until: jittered(seconds: Self.askSeconds)) {
                switch event {
                case .ended(let failure, let number):
                    if number == connectionNumber { return failure }
                case .answered(let bytes):
                    if let answer = asking.token(of: bytes) { return accept(answer) }
                case .groups, .authority: break
                }
            }
        }
    }

    private func accept(_ token: String) -> any Error {
        var enrolment = shared.read { $0.enrolment }
        let isNew = enrolment.token != token
        enrolment.token = token
        store(enrolment)
        usesInvitation = false
        // A token that is known, and that the server has refused, is tried again after a wait.
        return isNew
            ? Changed(description: "the administrator has let this machine in")
            : NatsFailure.notAllowed("the machine's token is refused")
    }
}
