// `fleet log`: what was signed here and done with machines, and whether the log has it all.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func showFleetLog(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try organization(of: invocation)
    let arguments = invocation.arguments
    if arguments.has("engine"), !arguments.has("verify") {
        throw invocation.misuse("--engine needs --verify")
    }
    if arguments.has("add"), arguments.has("verify") {
        throw invocation.misuse("--add and --verify are two commands")
    }
    if arguments.has("add") { return try addToLog(of: directory, invocation) }
    guard arguments.has("verify") else {
        let lines = try directory.logLines()
        if invocation.isJSON {
            printJSON(.array(lines.reversed().map(\.json)))
        } else {
            let rows = lines.reversed().map(\.row)
            printOut(rows.isEmpty ? "nothing was logged yet" : .verbatim(table(rows)))
        }
        return .success
    }
    let sent =
        try arguments.has("engine") ? sentDocuments(of: directory) : SentDocuments()
    let check = try LogCheck(directory, sent: sent)
    if invocation.isJSON { printJSON(check.json) } else { check.show(directory) }
    return check.findings.isEmpty ? .success : .attention
}

// MARK: Lines

extension LogLine {
    /// As `git log --oneline` abbreviates what it names.
    fileprivate var row: [Message] {
        let name = Message.verbatim(String(digest.prefix(12)))
        guard let entry else { return [name, "", "", "", "it was cut off, or is of a newer mamd"] }
        return [
            name, .verbatim(rfc3339(entry.time)),
            .verbatim("\(excerpt(of: entry.user))@\(excerpt(of: entry.host))"),
            .verbatim(entry.event.rawValue), entry.subject,
        ]
    }

    fileprivate var json: JSONValue {
        (entry?.json ?? [:]).merging([
            "digest": .string(digest), "readable": .bool(entry != nil),
        ])
    }
}

extension LogEntry {
    fileprivate var subject: Message {
        let parts: [Message?] = [
            machine.map { "machine \($0)" }, invitation.map { "invitation \($0)" },
            document?.words, reason.map { .verbatim(excerpt(of: $0)) },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension LogEntry.Document {
    fileprivate var words: Message { words(orElse: "not signed yet") }

    /// Of one whose signatures were checked.
    fileprivate var checkedWords: Message { words(orElse: "signed by no key of the roots here") }

    private func words(orElse unsigned: Message) -> Message {
        let keys = keys.map { String($0.description.prefix(8)) }.joined(separator: ", ")
        let what: Message = "\(slot) serial \(serial)"
        return keys.isEmpty ? "\(what), \(unsigned)" : "\(what), signed by \(keys)"
    }
}

// MARK: Checking

/// What `mamfleet sent` tells that the engine has.
private func sentDocuments(
    of directory: OrganizationDirectory
) throws -> SentDocuments {
    let told = try answer(
        of: [companion("mamfleet"), ByteString("sent"), directory.path], reading: nil)
    guard let sent = SentDocuments(told) else {
        throw Failure(.failure, "mamfleet: its answer is not understood", next: "update both")
    }
    return sent
}

extension LogCheck {
    fileprivate func show(_ directory: OrganizationDirectory) {
        for finding in findings { printOut(finding.words) }
        if !unlogged.isEmpty {
            printError("mamctl fleet log --add adds what you know of.")
        }
        guard let digest else {
            return printOut("\(directory.whole(OrganizationDirectory.log).shown): no log yet")
        }
        printOut("\(lineCount.counted("line")), the last is \(digest)")
    }

    fileprivate var json: JSONValue {
        [
            "lines": JSONValue(lineCount), "digest": JSONValue(digest),
            "findings": .array(
                findings.map {
                    ["kind": .string($0.name), "text": .string($0.words.english)]
                }),
        ]
    }
}

extension LogCheck.Finding {
    fileprivate var name: String {
        switch self {
        case .changed: "changed"
        case .unreadable: "unreadable"
        case .unlogged: "unlogged"
        case .cosigned: "cosigned"
        case .sent: "sent"
        case .missing: "missing"
        case .unusable: "unusable"
        }
    }

    /// A sentence.
    fileprivate var words: Message {
        switch self {
        case .changed(let line):
            "Line \(line) does not follow the one before: a line was changed, or taken out."
        case .unreadable(let line): "Line \(line) was cut off, or is of a newer mamd."
        case .unlogged(let document):
            "\(excerpt(of: document.file)) is not in the log: \(document.checkedWords)."
        case .cosigned(let document):
            "\(excerpt(of: document.file)) has a signature that is not in the log:"
                + " \(document.checkedWords)."
        case .sent(let document):
            "The engine has what is neither in the log nor here: \(document.checkedWords)."
        case .missing(let document):
            "The newest that was signed is not here: \(document.words)."
        case .unusable(let file): Wanted.Flaw.unusable(file).words
        }
    }
}

// MARK: Adding

/// What was signed elsewhere, or before there was a log.
private func addToLog(
    of directory: OrganizationDirectory, _ invocation: Invocation
) throws -> ExitStatus {
    let documents = try LogCheck(directory).unlogged
    for document in documents {
        printError("\(excerpt(of: document.file))  \(document.words)")
    }
    if !documents.isEmpty {
        try agree(
            to: "Add \(documents.count.counted("document")) to the log?",
            orElse: "nothing was added", invocation)
        try directory.log(
            documents.map { document in
                var entry = LogEntry(.add)
                entry.document = document
                return entry
            })
    }
    invocation.answer(
        ["added": JSONValue(texts: documents.map(\.file))],
        words: "\(documents.count.counted("document")) added")
    return .success
}
