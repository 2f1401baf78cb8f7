// `mamfleet sent`: which documents the engine has, for `mamctl fleet log --verify --engine`.

internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMOffice
internal import MAMWire

func showSent(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let office = try Office(arguments)
    let link = try office.link(as: Engine.credentials, EngineServers(office.settings.servers))
    let stream = MAMEngine.Stream.docs
    let subjects = try link.step("the stream \(stream.rawValue)") {
        connection, milliseconds throws(NatsFailure) in
        try connection.subjects(of: stream.rawValue, milliseconds: milliseconds)
    }
    let isDocument = { (subject: String) in
        subject != Subject.authority && subject != Subject.time
    }
    // How long they are is not known.
    let lengths = Dictionary(
        uniqueKeysWithValues: subjects.filter(isDocument).map { ($0, Bundle.maximumByteCount) })
    let known = try keysOfRoots(office.directory)
    var sent = SentDocuments()
    let stored = try StoredMessages(link, stream).read(of: lengths) { $0.payload }
    for (subject, bytes) in stored.sorted(by: { $0.key < $1.key }) {
        do throws(Refusal) {
            for envelope in try Bundle(parsing: bytes).envelopes {
                sent.documents.append(try LogEntry.Document(subject, envelope, by: known))
            }
        } catch { sent.junk[subject] = "\(error)" }
    }
    link.progress.clear()
    if arguments.has("json") { printJSON(sent.json) } else { printOut(verbatim: sent.words) }
    return .success
}

private func keysOfRoots(
    _ directory: OrganizationDirectory
) throws(Failure) -> [Bytes16: [UInt8]] {
    do throws(OrganizationDirectory.Failure) { return try directory.keysOfRoots() } catch {
        throw Failure(error)
    }
}

extension SentDocuments {
    fileprivate var words: String {
        let documents = documents.map { "\($0.slot) \($0.serial) \($0.fingerprint)" }
        // Whoever has the engine's credentials has written these names.
        let unusable = junk.sorted { $0.key < $1.key }.map { subject, reason in
            ByteString("\(subject): \(reason)").shown
        }
        return (documents + unusable).joined(separator: "\n")
    }
}
