// `fleet invite`: one-time codes for machines.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

private let defaultDays: Int64 = 7
private let maximumDays: Int64 = 90
private let maximumCodeCount: Int64 = 10_000

func inviteMachines(_ invocation: Invocation) throws -> ExitStatus {
    let engine = try existingEngine(of: invocation)
    let (root, _) = try engine.directory.rootInForce()
    let notes = try notes(of: invocation)
    let folder = invocation.arguments.value("output").map(OrganizationDirectory.init)
    guard folder != nil || notes.count == 1 && !invocation.isJSON else {
        throw invocation.misuse(
            invocation.isJSON
                ? "-o DIR is needed with --json" : "-o DIR is needed with several codes")
    }
    if invocation.arguments.has("qr") { try requireQRProgram() }
    let membership = try groups(of: invocation)
    let (now, expires) = try validity(days: defaultDays, atMost: maximumDays, invocation)
    if invocation.arguments.has("push") { try sendBefore(engine.directory) }
    var made: [JSONValue] = []
    let isUnique = Set(notes).count == notes.count
    for note in notes {
        let seed = NKeySeed(random: .user)
        let record = InvitationRecord(
            SecureRandom.bytes16(), note: note, groups: membership, created: now, expires: expires,
            transportKey: seed.key)
        let code = try engine.invite(record, seed, fingerprint: root.envelope.fingerprint)
        // On record first: a code that nobody knows of could not be answered.
        try engine.directory.write(record)
        let isFree = try folder?.has("\(note).code") == false
        let name = isUnique && isName(note) && isFree ? note : nil
        let file: String?
        do { file = try give(code.text, of: record, to: folder, as: name, invocation) } catch {
            // Nobody has the code. What is printed may have been read by somebody.
            if folder != nil { try engine.directory.remove(record) }
            throw error
        }
        made.append(record.json.merging(["file": JSONValue(file)]))
    }
    if invocation.isJSON { printJSON(["invitations": .array(made)]) }
    warn(notes.count, folder != nil)
    return .success
}

/// One for each code.
private func notes(of invocation: Invocation) throws -> [String] {
    let notes = try invocation.arguments.values("note").map { given in
        let note = try given.requireText("the value of --note")
        guard note.utf8.count <= 1000 else {
            throw invocation.misuse("--note is longer than 1000 bytes")
        }
        return note
    }
    guard let count = try number("count", 1...maximumCodeCount, invocation) else {
        return notes.isEmpty ? [""] : notes
    }
    guard notes.count <= 1 || notes.count == Int(count) else {
        throw invocation.misuse("--count is \(count), and \(notes.count) codes have a --note")
    }
    return notes.count > 1 ? notes : Array(repeating: notes.first ?? "", count: Int(count))
}

/// A machine that joins obeys what it finds: without documents all its accounts are closed. What
/// waits for order keys is told, and waits.
private func sendBefore(_ directory: OrganizationDirectory) throws(Failure) {
    let sent = try sendDocuments(of: directory)
    guard sent.answer == nil else { return }
    let error = sent.error?.object
    throw Failure(
        sent.status, Message(known: error?["message"]?.text ?? "mamfleet push has failed"),
        next: error?["next"]?.text.map { Message(known: $0) } ?? "mamfleet push")
}

/// To the folder, or to standard output. `name`: of the file, else the invitation's id. Returns the
/// file.
private func give(
    _ code: SecretBytes, of record: InvitationRecord, to folder: OrganizationDirectory?,
    as name: String?, _ invocation: Invocation
) throws -> String? {
    let isQR = invocation.arguments.has("qr")
    guard let folder else {
        if isQR { try drawQR(code, ["-t", isatty(STDOUT_FILENO) == 1 ? "ANSIUTF8" : "UTF8"]) }
        try printOut(code)
        return nil
    }
    let stem = name ?? "\(record.id)"
    try folder.write("\(stem).code", secret: .joining([.secret(code), .text("\n")]))
    let path = folder.whole("\(stem).code")
    if isQR {
        let picture = folder.whole("\(stem).png")
        // It would be there for all to read before its mode could be changed.
        umask(0o077)
        do { try drawQR(code, ["-t", "PNG", "-o", picture.shown]) } catch {
            try folder.remove("\(stem).code")
            throw error
        }
    }
    if !invocation.isJSON { printOut(verbatim: path.shown) }
    return path.shown
}

private func warn(_ count: Int, _ isInFiles: Bool) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    printError(
        Message(
            count,
            one: "The code is a secret: whoever has one can ask to be let in, once. Send it by a"
                + " way that you trust, and compare\nthe machine's id when you admit it.",
            many: "The codes are secrets: whoever has one can ask to be let in, once. Send it by a"
                + " way that you trust, and compare\nthe machine's id when you admit it."))
    if isInFiles { printError("Delete the files when the machines have joined.") }
    printError(
        "On each machine: mamctl setup --no-account --join FILE; then here: mamctl fleet admit"
            + " --exchange")
}

// MARK: qrencode(1)

private func requireQRProgram() throws(Failure) {
    guard output(of: ["qrencode", "--version"]) != nil else {
        throw Failure(
            .notFound, "qrencode draws the picture, and is not installed",
            next: "apt install qrencode")
    }
}

/// The code goes through a pipe: arguments are for all to see.
private func drawQR(_ code: SecretBytes, _ options: [String]) throws {
    let words = ["qrencode", "-8", "-l", "L", "-m", "2"] + options
    let process = try start(words.map { ByteString($0) }, reading: code)
    guard case .exited(0) = try wait(for: process) else {
        throw Failure(
            .failure, "qrencode made no picture: the code may be too long for one",
            next: "invite without --qr")
    }
}

/// The whole of it fits into the pipe, whose ends are closed on return.
private func start(_ argv: [ByteString], reading secret: SecretBytes) throws(Errno) -> pid_t {
    let (reader, writer) = try makePipe()
    return try withExtendedLifetime((reader, writer)) { () throws(Errno) in
        try secret.withBytes { bytes throws(Errno) in
            _ = try retrying { write(writer.raw, bytes.baseAddress, bytes.count) }
        }
        return try spawn(argv, files: [reader.raw: STDIN_FILENO])
    }
}
