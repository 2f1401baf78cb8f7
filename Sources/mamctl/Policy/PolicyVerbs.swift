// `policy …` and `metrics`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// The longest document that the daemon accepts.
private let maximumDocumentByteCount = 4 << 20

func showPolicy(_ invocation: Invocation) throws -> ExitStatus {
    let account = try invocation.operands.first?.requireText("the account")
    let reply = try invocation.policy(Varlink.Policy.Show(account: account))
    return try invocation.answer(
        reply.json,
        words: .verbatim(
            try describe(reply, width: outputWidth ?? .max).joined(separator: "\n")))
}

private func describe(_ reply: Varlink.Policy.Show.Reply, width: Int) throws -> [String] {
    let account: Message = reply.account.isEmpty ? "nobody" : .verbatim(shown(reply.account))
    let state: Message =
        reply.managed ? "managed" : "not managed: nothing is restricted"
    var lines = ["\(account.translated)\t\(state.translated)"]
    let rules = Parameters(reply.rules.object ?? [:])
    let rows = try rules.members.keys.sorted().map { key in try row(key, try rules.object(key)) }
    if !rows.isEmpty { lines.append(layOut(rows, width: width)) }
    let wrap = { (text: Message) in wrapped(words(of: text), hanging: 4, width: width) }
    for document in reply.documents {
        let file = document.file.map { " (\($0))" } ?? ""
        lines.append(wrap("in force: \(shown(document.name + file))"))
    }
    return lines + reply.refused.map { wrap("refused: \($0.text)") }
        + reply.warnings.map { wrap("warning: \(shown($0))") }
}

/// Lays out three columns, or, as names of rules are long, puts the others below the name if they
/// do not fit.
private func layOut(_ rows: [[String]], width: Int) -> String {
    let columns = table(rows.map { $0.map { .verbatim($0) } })
    guard columns.split(separator: "\n").contains(where: { $0.count > width }) else {
        return columns
    }
    return rows.map { row in
        let rest = row.dropFirst().joined(separator: "  ")
        return row[0] + "\n" + wrapped(words(of: rest), after: "     ", hanging: 6, width: width)
    }.joined(separator: "\n")
}

private func row(_ key: String, _ rule: Parameters) throws -> [String] {
    let value = rule.members["value"] ?? .null
    let text = value.text ?? String(decoding: value.encoded(), as: UTF8.self)
    let looser: [Parameters] = try rule.value("looser")
    let from: [String] = try rule.value("from")
    let sources = shown(from.joined(separator: ", "))
    let others = try looser.map { try $0.string("document") }.joined(separator: ", ")
    let note: Message =
        looser.isEmpty ? "from \(sources)" : "from \(sources); looser in \(shown(others))"
    return ["  \(key)", shown(text), note.translated]
}

/// Needs no daemon. Exits with 2 if a document would be refused, with 0 for warnings alone.
func checkPolicy(_ invocation: Invocation) throws -> ExitStatus {
    var findings: [JSONValue] = []
    var isRefused = false
    for path in invocation.operands {
        for finding in PolicyLint.check(try document(path)) {
            isRefused = isRefused || finding.severity == .error
            findings.append(
                .object(
                    (finding.json.object ?? [:])
                        .merging(["path": .string(path.shown)]) { $1 }))
            if !invocation.isJSON { printOut(verbatim: line(path, finding)) }
        }
    }
    if invocation.isJSON { printJSON(.array(findings)) }
    return isRefused ? .usage : .success
}

private func line(_ path: ByteString, _ finding: LintFinding) -> String {
    let key = finding.key.map { "\($0): " } ?? ""
    let place = [finding.line, finding.column].compactMap(\.self).map { "\($0):" }.joined()
    return "\(path.shown):\(place) \(finding.severity.rawValue): "
        + ByteString(key + finding.reason).shown
}

func importPolicy(_ invocation: Invocation) throws -> ExitStatus {
    let path = invocation.operands[0]
    let bytes = try document(path)
    guard let text = ByteString(bytes).text else {
        throw Failure(.usage, "\(path.shown): it is not UTF-8")
    }
    let name =
        try invocation.arguments.text("name")
        ?? path.lastComponent.requireText("the file's name")
    let isTrial = invocation.arguments.has("dry-run")
    func answer(isTrial: Bool) throws -> Varlink.Policy.Import.Reply {
        do {
            return try invocation.policy(
                Varlink.Policy.Import(name: name, document: text, dryRun: isTrial))
        } catch let failure as Failure where failure.status == .usage {
            throw Failure(.usage, failure.message, next: "mamctl policy check \(path.asArgument)")
        }
    }
    let workspace = try invocation.daemon().name
    let file = "\(Places.current.configuration(of: workspace))/policies/\(name)"
    // What it replaces does not come back when it is removed.
    let isNew = access(file, F_OK) != 0
    if !isTrial { try confirm(try answer(isTrial: true).closes ?? [], of: path, invocation) }
    let reply = try answer(isTrial: isTrial)
    if invocation.isJSON {
        printJSON(reply.json)
        return .success
    }
    for coverage in reply.coverage { printOut(describe(coverage, isTrial)) }
    for warning in reply.warnings {
        printError("mamctl: \(path.shown): \(shown(warning))")
    }
    guard let closes = reply.closes, !closes.isEmpty else { return .success }
    if isTrial {
        closes.forEach { tell($0, of: path) }
    } else if isNew {
        printError("  this takes it back: rm \(ByteString(file).asArgument)")
    }
    return .success
}

/// Before accounts are closed, as far as can be told now: a script gives their number.
private func confirm(
    _ closes: [Varlink.Policy.Closure], of path: ByteString, _ invocation: Invocation
) throws {
    guard !closes.isEmpty else { return }
    closes.forEach { tell($0, of: path) }
    let isMeant: Bool
    if let given = invocation.arguments.value("confirm") {
        isMeant = given.text == String(closes.count)
    } else {
        guard isatty(STDIN_FILENO) == 1 else {
            throw invocation.misuse(
                "no terminal to ask for confirmation: add --confirm \(closes.count)")
        }
        isMeant = try Terminal.askOpenly("Import it? Type yes to continue").text == "yes"
    }
    guard isMeant else {
        throw Failure(
            .failure, "\(path.shown): not imported",
            next: "mamctl policy import \(path.asArgument) --dry-run")
    }
}

private func tell(_ closure: Varlink.Policy.Closure, of path: ByteString) {
    let (account, reason) = (shown(closure.account), shown(closure.reason))
    printError("mamctl: \(path.shown): it would close \(account): \(reason)")
}

private func describe(_ coverage: Varlink.Policy.Coverage, _ isTrial: Bool) -> Message {
    let document = shown(coverage.document)
    let accounts = coverage.accounts.map(shown).joined(separator: ", ")
    guard accounts.isEmpty else {
        return isTrial
            ? "not imported: \(document)\n  would be in force for \(accounts)"
            : "imported: \(document)\n  is in force for \(accounts)"
    }
    let obstacle = Message(known: shown(coverage.obstacle ?? ""))
    let next = shown(coverage.next ?? "")
    return isTrial
        ? "not imported: \(document)\n  would be in force for nobody: \(obstacle)\n  next: \(next)"
        : "imported: \(document)\n  is in force for nobody: \(obstacle)\n  next: \(next)"
}

private func document(_ path: ByteString) throws(Failure) -> [UInt8] {
    documentText(try readFile(path, atMost: maximumDocumentByteCount))
}

func showMetrics(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(Varlink.Policy.Metrics())
    return invocation.answer(
        reply.json,
        words: .verbatim(reply.text.hasSuffix("\n") ? String(reply.text.dropLast()) : reply.text))
}

extension Varlink.Workspace.RefusedDocument {
    /// What is wrong, since when, and what is in force instead.
    var text: Message {
        let moment = { (seconds: Int) in localTime(seconds, "%Y-%m-%d %H:%M") }
        let name = ByteString("\(file): \(reason)").shown
        guard let inForce, let inForceSince else {
            return "\(name); since \(moment(since)), and nothing of it is in force"
        }
        return "\(name); since \(moment(since)). In force instead: \(shown(inForce)),"
            + " as it was on \(moment(inForceSince))"
    }
}
