// `mamfleet push`: what has changed in the organisation's directory, to the engine. And `engine`,
// the first part of it.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func push(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let office = try Office(arguments)
    // All is read first, so that nothing is sent if a document is wrong.
    let bundles: [BundlePlace: Bundle]
    let answers: [Bytes16: Token]
    let authority: [UInt8]?
    var heldBack: [OrganizationDirectory.Failure] = []
    do throws(OrganizationDirectory.Failure) {
        bundles = try office.directory.bundles(
            at: Timestamp.now.milliseconds / 1000, tell: { printError("mamfleet: \($0)") },
            holdBack: { heldBack.append($0) })
        answers = try office.directory.answers()
        authority = try office.directory.nextAuthority()
    } catch { throw Failure(error) }
    var pushing = try Pushing(office)
    // Machines that were revoked are shut out first.
    try pushing.pushAccount()
    try pushing.makeStreams()
    try pushing.push(bundles, authority)
    try pushing.push(answers)
    pushing.report(arguments)
    let root = office.directory.whole(OrganizationDirectory.root)
    for failure in heldBack {
        Failure(
            .refused, "not sent: \(Failure(failure).message)",
            next: "mamctl fleet cosign \(failure.path.shown) --key KEY --root \(root.shown)"
        ).report(by: "mamfleet", isJSON: false)
    }
    return heldBack.isEmpty ? .success : .refused
}

/// Prepares the servers before there is anything to push: `mamctl fleet invite` needs no more.
func prepareEngine(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let office = try Office(arguments)
    var pushing = try Pushing(office)
    try pushing.pushAccount()
    try pushing.makeStreams()
    pushing.report(arguments)
    return .success
}

private struct Pushing {
    private let office: Office
    private let link: OfficeLink
    private let system: OfficeLink
    private var accountChanged = false
    private var streams: [String] = []
    private var published: [String] = []
    private var unchanged = 0
    private var answered = 0

    private static let empty = Array("[]\n".utf8)

    init(_ office: Office) throws(Failure) {
        self.office = office
        let servers = EngineServers(office.settings.servers)
        link = try office.link(as: Engine.credentials, servers)
        system = try office.link(as: Engine.systemCredentials, servers)
    }

    // MARK: The account

    /// Sends the account's token. The servers keep it, and end the connections that it revokes.
    mutating func pushAccount() throws(Failure) {
        let token: Token
        do throws(OrganizationDirectory.Failure) {
            token = try office.directory.token(Engine.accountToken)
        } catch { throw Failure(error) }
        let text = Array(token.text.utf8)
        accountChanged = try system.step("the account's token") {
            connection, milliseconds throws(NatsFailure) in
            let known = try connection.request(
                "$SYS.REQ.ACCOUNT.\(token.subject).CLAIMS.LOOKUP",
                timeoutMilliseconds: milliseconds)
            guard known.payload != text else { return false }
            try requireNewer(token, than: known.payload)
            let answer = try connection.request(
                "$SYS.REQ.CLAIMS.UPDATE", text, timeoutMilliseconds: milliseconds)
            let members = (try? JSONValue(parsing: answer.payload))?.object
            guard members?["error"] == nil, members?["data"]?.object?["code"]?.integer == 200 else {
                throw .stream(
                    code: 0, members?["error"]?.object?["description"]?.text ?? "no reason is told")
            }
            return true
        }
    }

    /// An older token, of a copy of the directory, would let in again what a newer one revokes.
    private func requireNewer(_ token: Token, than known: [UInt8]) throws(NatsFailure) {
        guard let other = try? Token(parsing: String(decoding: known, as: UTF8.self)),
            other.subject == token.subject, other.issuer == token.issuer
        else { return }
        guard other.issued <= token.issued, token.covers(revocationsOf: other) else {
            throw .stream(
                code: 0,
                "the servers have a newer one: this directory is an older copy, and would let in"
                    + " again whom the other has revoked")
        }
    }

    // MARK: Streams

    mutating func makeStreams() throws(Failure) {
        let known = try link.step("the streams") { connection, milliseconds throws(NatsFailure) in
            try connection.streamNames(milliseconds: milliseconds)
        }
        for stream in MAMEngine.Stream.allCases where !known.contains(stream.rawValue) {
            try link.step("the stream \(stream.rawValue)") {
                connection, milliseconds throws(NatsFailure) in
                // Making one of the same settings again is no mistake.
                _ = try connection.call(
                    "STREAM.CREATE.\(stream.rawValue)",
                    stream.settings(replicas: office.settings.replicas),
                    milliseconds: milliseconds * 4)
            }
            streams.append(stream.rawValue)
        }
    }

    // MARK: Messages

    mutating func push(
        _ bundles: [BundlePlace: Bundle], _ authority: [UInt8]?
    ) throws(Failure) {
        var messages: [String: [UInt8]] = [:]
        messages[Subject.authority] = authority
        for (place, bundle) in bundles {
            do throws(Refusal) { messages[place.subject] = try bundle.encoded() } catch {
                throw Failure(
                    .refused, "\(place.path): \(error)", next: "sign fewer or shorter ones")
            }
        }
        let stored = try link.step("the stream \(MAMEngine.Stream.docs.rawValue)") {
            connection, milliseconds throws(NatsFailure) in
            try connection.subjects(
                of: MAMEngine.Stream.docs.rawValue, milliseconds: milliseconds)
        }
        var lengths = messages.mapValues(\.count)
        // Bundles without documents, such as those of a machine that was revoked, are emptied.
        for subject in stored where messages[subject] == nil {
            messages[subject] = Self.empty
            lengths[subject] = Bundle.maximumByteCount
        }
        let known = try StoredMessages(link, .docs).newest(
            of: lengths.filter { stored.contains($0.key) })
        let ranks = Dictionary(uniqueKeysWithValues: bundles.keys.map { ($0.subject, $0.rank) })
        let order = messages.keys.sorted {
            (ranks[$0] ?? .max, $0) < (ranks[$1] ?? .max, $1)
        }
        for subject in order { try publish(subject, messages[subject] ?? [], known[subject]) }
    }

    private mutating func publish(
        _ subject: String, _ bytes: [UInt8], _ known: StoredMessages.Newest?
    ) throws(Failure) {
        link.progress.show { _ in "\(published.count) published, \(unchanged) unchanged" }
        let digest = SHA256.digest(of: bytes)
        guard known?.digest != digest else {
            unchanged += 1
            return
        }
        let isStored = try storing(subject, bytes) {
            connection, milliseconds throws(NatsFailure) in
            do throws(NatsFailure) {
                try connection.store(
                    subject, bytes, after: known?.sequence ?? 0, milliseconds: milliseconds)
                return true
            } catch {
                guard error.isOutrun else { throw error }
                // The answer to an attempt of this push may have been lost.
                return try connection.lastMessage(
                    ofLeader: subject, in: MAMEngine.Stream.docs.rawValue,
                    milliseconds: milliseconds)?.payload == bytes
            }
        }
        guard isStored else {
            link.progress.clear()
            throw Failure(
                .refused, "\(subject): somebody else has pushed meanwhile",
                next: "bring both directories together, and push again")
        }
        published.append(subject)
    }

    /// A step that stores a message, for which there is time at 256 KiB/s. If it fails, says what
    /// was published.
    private func storing<Value>(
        _ subject: String, _ bytes: [UInt8],
        _ body: (NatsConnection, _ milliseconds: Int64) throws(NatsFailure) -> Value
    ) throws(Failure) -> Value {
        do throws(Failure) {
            return try link.step(subject) { connection, milliseconds throws(NatsFailure) in
                try body(connection, milliseconds + Int64(bytes.count / 256))
            }
        } catch {
            guard error.status == .unreachable else { throw error }
            throw Failure(
                error.status,
                "\(error.message); it may be published or not, after"
                    + " \(counted(published.count + answered, "other")) for certain",
                next: error.next)
        }
    }

    mutating func push(_ answers: [Bytes16: Token]) throws(Failure) {
        let messages = Dictionary(
            uniqueKeysWithValues: answers.map { (Subject.invited($0), Array($1.text.utf8)) })
        let known = try StoredMessages(link, .invited).newest(of: messages.mapValues(\.count))
        for (subject, bytes) in messages.sorted(by: { $0.key < $1.key }) {
            guard known[subject]?.digest != SHA256.digest(of: bytes) else { continue }
            try storing(subject, bytes) { connection, milliseconds throws(NatsFailure) in
                _ = try connection.store(subject, bytes, milliseconds: milliseconds)
            }
            answered += 1
        }
    }

    // MARK: What was done

    mutating func report(_ arguments: Arguments) {
        link.progress.clear()
        if arguments.has("json") { printJSON(json) } else { printOut(verbatim: words) }
    }

    private var json: JSONValue {
        [
            "account": .string(accountChanged ? "published" : "unchanged"),
            "streams": JSONValue(texts: streams), "published": JSONValue(texts: published),
            "unchanged": .integer(Int64(unchanged)), "answers": .integer(Int64(answered)),
        ]
    }

    private var words: String {
        var parts = ["\(counted(published.count, "bundle")) published, \(unchanged) unchanged"]
        if answered > 0 { parts.append("\(counted(answered, "machine")) answered") }
        if accountChanged { parts.append("the account's token published") }
        if !streams.isEmpty { parts.append("streams made: \(streams.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}
