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
    do throws(OrganizationDirectory.Failure) {
        bundles = try office.directory.bundles(at: Timestamp.now.milliseconds / 1000)
        answers = try office.directory.answers()
    } catch { throw Failure(error) }
    var pushing = Pushing(office, try office.connect(as: Engine.credentials))
    // Machines that were revoked are shut out first.
    try pushing.pushAccount()
    try pushing.makeStreams()
    try pushing.push(bundles)
    try pushing.push(answers)
    pushing.report(arguments)
    return .success
}

/// Prepares the servers before there is anything to push: `mamctl fleet invite` needs no more.
func prepareEngine(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let office = try Office(arguments)
    var pushing = Pushing(office, try office.connect(as: Engine.credentials))
    try pushing.pushAccount()
    try pushing.makeStreams()
    pushing.report(arguments)
    return .success
}

private struct Pushing {
    private let office: Office
    private let connection: NatsConnection
    private var accountChanged = false
    private var streams: [String] = []
    private var published: [String] = []
    private var unchanged = 0
    private var answered = 0
    private var progress = ProgressLine()

    private static let empty = Array("[]\n".utf8)

    init(_ office: Office, _ connection: NatsConnection) {
        (self.office, self.connection) = (office, connection)
    }

    // MARK: The account

    /// Sends the account's token. The servers keep it, and end the connections that it revokes.
    mutating func pushAccount() throws(Failure) {
        let token: Token
        do throws(OrganizationDirectory.Failure) {
            token = try office.directory.token(Engine.accountToken)
        } catch { throw Failure(error) }
        let system = try office.connect(as: Engine.systemCredentials)
        do throws(NatsFailure) {
            let known = try system.request(
                "$SYS.REQ.ACCOUNT.\(token.subject).CLAIMS.LOOKUP", timeoutMilliseconds: 5000)
            guard known.payload != Array(token.text.utf8) else { return }
            try requireNewer(token, than: known.payload)
            let answer = try system.request(
                "$SYS.REQ.CLAIMS.UPDATE", Array(token.text.utf8), timeoutMilliseconds: 5000)
            let members = (try? JSONValue(parsing: answer.payload))?.object
            guard members?["error"] == nil, members?["data"]?.object?["code"]?.integer == 200 else {
                throw .stream(
                    code: 0, members?["error"]?.object?["description"]?.text ?? "no reason is told")
            }
            accountChanged = true
        } catch { throw Failure(error, "the account's token") }
    }

    /// An older token, of a copy of the directory, would let in again what a newer one revokes.
    private func requireNewer(_ token: Token, than known: [UInt8]) throws(NatsFailure) {
        guard let other = try? Token(parsing: String(decoding: known, as: UTF8.self)),
            other.subject == token.subject, other.issuer == token.issuer
        else { return }
        let ours = token.revoked
        let isComplete = other.revoked.allSatisfy { key, time in (ours[key] ?? 0) >= time }
        guard other.issued <= token.issued, isComplete else {
            throw .stream(
                code: 0,
                "the servers have a newer one: this directory is an older copy, and would let in"
                    + " again whom the other has revoked")
        }
    }

    // MARK: Streams

    mutating func makeStreams() throws(Failure) {
        let known = try naming("the streams") { () throws(NatsFailure) in
            try connection.streamNames()
        }
        for stream in MAMEngine.Stream.allCases where !known.contains(stream.rawValue) {
            _ = try naming("the stream \(stream.rawValue)") { () throws(NatsFailure) in
                try connection.call(
                    "STREAM.CREATE.\(stream.rawValue)",
                    stream.settings(replicas: office.settings.replicas))
            }
            streams.append(stream.rawValue)
        }
    }

    // MARK: Messages

    /// What a stream has of each subject.
    private struct Known {
        let sequence: UInt64
        let digest: [UInt8]
    }

    private func known(_ stream: MAMEngine.Stream) throws(Failure) -> [String: Known] {
        try naming("the stream \(stream.rawValue)") { () throws(NatsFailure) in
            var all: [String: Known] = [:]
            let reader = try StreamReader(connection, stream.rawValue, .lastOfEachSubject)
            while true {
                let batch = try reader.next()
                for message in batch {
                    all[message.subject] = Known(
                        sequence: message.sequence, digest: SHA256.digest(of: message.payload))
                }
                if batch.last.map({ $0.pending == 0 }) ?? true { return all }
            }
        }
    }

    mutating func push(_ bundles: [BundlePlace: Bundle]) throws(Failure) {
        let known = try known(.docs)
        let places = bundles.keys.sorted { ($0.rank, $0.subject) < ($1.rank, $1.subject) }
        for place in places {
            guard let bundle = bundles[place] else { continue }
            let bytes: [UInt8]
            do throws(Refusal) { bytes = try bundle.encoded() } catch {
                throw Failure(
                    .refused, "\(place.path): \(error)", next: "sign fewer or shorter ones")
            }
            try publish(place.subject, bytes, known[place.subject])
            progress.show { _ in "\(published.count) published, \(unchanged) unchanged" }
        }
        // Bundles without documents, such as those of a machine that was revoked, are emptied.
        let subjects = Set(places.map(\.subject))
        for subject in known.keys.sorted() where !subjects.contains(subject) {
            try publish(subject, Self.empty, known[subject])
        }
    }

    private mutating func publish(
        _ subject: String, _ bytes: [UInt8], _ known: Known?
    ) throws(Failure) {
        guard known?.digest != SHA256.digest(of: bytes) else {
            unchanged += 1
            return
        }
        do throws(NatsFailure) {
            try connection.store(subject, bytes, after: known?.sequence ?? 0)
        } catch {
            progress.clear()
            guard error.isOutrun else { throw Failure(error, subject) }
            throw Failure(
                .refused, "\(subject): somebody else has pushed meanwhile",
                next: "bring both directories together, and push again")
        }
        published.append(subject)
    }

    mutating func push(_ answers: [Bytes16: Token]) throws(Failure) {
        let known = try known(.invited)
        for (invitation, token) in answers.sorted(by: { $0.key.description < $1.key.description }) {
            let (subject, bytes) = (Subject.invited(invitation), Array(token.text.utf8))
            guard known[subject]?.digest != SHA256.digest(of: bytes) else { continue }
            try naming(subject) { () throws(NatsFailure) in
                _ = try connection.store(subject, bytes)
            }
            answered += 1
        }
    }

    // MARK: What was done

    mutating func report(_ arguments: Arguments) {
        progress.clear()
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
