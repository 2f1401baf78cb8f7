// `owner`, `class`, `info` and `is-encrypted`.

internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func owner(_ invocation: Invocation) throws -> ExitStatus {
    if let identity = try invocation.meantOwner("set") {
        return invocation.setOwners(to: identity)
    }
    var isAnyManaged = false
    let questions = FileQuestions(about: invocation.operands, orDirectory: true)
    let status = invocation.eachFile { _ in
        let facts = try questions.next().facts
        if let flaw = facts.flaw { throw flaw }
        isAnyManaged = isAnyManaged || facts.isManaged
        return (ownerLine(facts), json(of: facts, for: invocation))
    }
    let isNone = !isAnyManaged && !invocation.operands.isEmpty
    return status == .success && isNone ? .notManaged : status
}

/// One line per file or directory: the class, or `-` for none, a tab, and the path.
func protectionClass(_ invocation: Invocation) throws -> ExitStatus {
    if let text = try invocation.arguments.text("set") {
        let asked = try invocation.askedClass(text)
        return invocation.eachFile { path in
            let facts = try invocation.setClass(asked, of: path)
            if let asked, facts.effectiveClass != asked { explain(facts, asked) }
            return (classLine(facts), facts.json)
        }
    }
    let questions = FileQuestions(about: invocation.operands, orDirectory: true)
    return invocation.eachFile { _ in
        let facts = try questions.next().facts
        if let flaw = facts.flaw { throw flaw }
        return (classLine(facts), json(of: facts, for: invocation))
    }
}

/// Reports on standard error that policy or the ceiling overrides the class.
private func explain(_ facts: FileReport, _ asked: ProtectionClass) {
    let isDirectory = facts.state == .directory
    let letter = facts.effectiveClass?.letter ?? "none"
    let start: Message =
        isDirectory
        ? "\(facts.path.shown): class \(asked.letter) is noted, but new files get class \(letter)"
        : "\(facts.path.shown): class \(asked.letter) is noted, but it has class \(letter)"
    printError("\(start): \(facts.reason)")
}

private func classLine(_ facts: FileReport) -> Record {
    Record(before: "\(facts.fileClass?.letter ?? "-")\t", path: facts.path)
}

func info(_ invocation: Invocation) throws -> ExitStatus {
    var flaw: Failure?
    let questions = FileQuestions(
        about: invocation.operands.filter { $0.text != "-" }, orDirectory: true,
        FileQuestion(act: .read, asksForContent: !invocation.isJSON))
    var tables = RepeatedTable()
    let status = invocation.eachFile { path in
        let file = path.text == "-" ? nil : try questions.next()
        let facts = try file?.facts ?? invocation.factsOfInput()
        flaw = flaw ?? facts.flaw
        if invocation.isJSON { return (nil, facts.json(file?.refusal)) }
        let record = description(
            of: facts, file?.refusal, holding: file?.dataHeld, in: &tables)
        return (record, .null)
    }
    return status == .success ? flaw?.status ?? status : status
}

/// Null where nothing prints it.
private func json(of facts: FileReport, for invocation: Invocation) -> JSONValue {
    invocation.isJSON ? facts.json : .null
}

/// Exits with 0 if all files are encrypted.
func isEncrypted(_ invocation: Invocation) throws -> ExitStatus {
    var isAnyPlain = false
    let questions = FileQuestions(about: invocation.operands, orDirectory: false)
    let status = invocation.eachFile { path in
        let facts = try questions.next().facts
        if let flaw = facts.flaw { throw flaw }
        isAnyPlain = isAnyPlain || !facts.isEncrypted
        let answer: Message = facts.isEncrypted ? ": encrypted" : ": not encrypted"
        return (Record(path: path, after: answer), json(of: facts, for: invocation))
    }
    return status == .success && isAnyPlain ? .failure : status
}

private func ownerLine(_ facts: FileReport, _ note: Message = "") -> Record {
    // A directory without an owner does not determine the owner of new files.
    let owner = facts.state == .directory && facts.owner.isNobody ? "-" : facts.owner.description
    return Record(before: "\(shown(owner))\t", path: facts.path, after: note)
}

/// A file with its new owner, and what that does to its content.
func giftLine(_ facts: FileReport) -> Record { ownerLine(facts, note(on: facts)) }

private func note(on facts: FileReport) -> Message {
    if facts.isManaged { return "" }
    if facts.state != .directory { return "\tnow plain" }
    return facts.owner.isNobody ? "" : "\twhat is made there is plain"
}

/// `refusal`: why this program may not read the file. `inner`: the owner of protected data inside.
func description(
    of facts: FileReport, _ refusal: Failure? = nil, holding inner: Identity? = nil,
    in tables: inout RepeatedTable
) -> Record {
    var rows = facts.state == .directory ? directoryRows(facts) : fileRows(facts, refusal)
    if let inner {
        let whose: Message = "protected data of \(shown(inner.description))"
        let path = facts.path.asArgument
        rows.append(["  holds", "\(whose); mamctl decrypt \(path) -o NEW opens it"])
    }
    let (start, end) = Style.output.boldMarks
    let lines = tables.lines(of: rows)
    return Record(before: start, path: facts.path, after: .verbatim("\(end)\n\(lines)"))
}

private func fileRows(_ facts: FileReport, _ refusal: Failure?) -> [[Message]] {
    var rows: [[Message]] = [["  owner", .verbatim(shown(facts.owner.description))]]
    if !facts.owner.name.isEmpty, !facts.owner.objectID.isEmpty {
        rows.append(["  object id", .verbatim(shown(facts.owner.objectID))])
    }
    rows.append(["  managed", facts.isManaged ? "yes" : "no"])
    if let fileClass = facts.fileClass { rows.append(["  class", words(fileClass)]) }
    if let effective = facts.effectiveClass {
        rows.append(["  effective class", words(effective)])
    }
    let word = facts.word(refusal)
    rows.append(["  state", word.map(Message.verbatim) ?? "known only to its daemon"])
    rows.append(["  why", facts.reason])
    if let refusal {
        rows.append(["  refused", refusal.message])
        if let next = refusal.next { rows.append(["  try", next]) }
    }
    return rows
}

private func directoryRows(_ facts: FileReport) -> [[Message]] {
    let owner: Message? =
        facts.owner.isNobody ? nil : .verbatim(shown(facts.owner.description))
    var rows: [[Message]] = [
        ["  class", facts.fileClass.map(words) ?? "none of its own"],
        ["  owner of new files", owner ?? "whom their program works for"],
    ]
    if let effective = facts.effectiveClass {
        rows.append([
            "  class of new files",
            owner == nil
                ? "\(words(effective)), if that is an account" : words(effective),
        ])
    } else {
        rows.append(["  class of new files", "none: they are plain"])
    }
    rows.append(["  why", facts.reason])
    return rows
}

private func words(_ protectionClass: ProtectionClass) -> Message {
    "\(protectionClass.letter)  \(protectionClass.appleName)"
}

extension Invocation {
    /// Nil for `policy`, which clears the class.
    fileprivate func askedClass(_ text: String) throws -> ProtectionClass? {
        if text == "policy" { return nil }
        guard let asked = ProtectionClass(text) else {
            throw Failure(
                .usage, "there is no class '\(shown(text))'",
                next: "mamctl class --set A|B|C|D|policy PATH")
        }
        return asked
    }

    fileprivate func setClass(
        _ asked: ProtectionClass?, of path: ByteString
    ) throws -> FileReport {
        let file = try openForQuestion(path, orDirectory: true)
        guard let name = workspace(of: file) else {
            throw Failure(
                .failure,
                "\(path.shown): only files in a mounted workspace have a class that can"
                    + " be set",
                next: "copy it into one; mamctl status lists them")
        }
        return try protection(
            Varlink.Workspace.SetClass(class: asked, fileDescriptor: 0), of: file, path,
            in: name)
    }

    /// `protect --only-new` under the SDK's name. Also prints unchanged files.
    fileprivate func setOwners(to identity: String) -> ExitStatus {
        eachFile { path in
            var record: Record?
            var json = JSONValue.null
            try give(path, to: identity, isDeep: false) { given in
                guard case .done(let path, let info, _) = given else { return }
                let facts = FileReport(path, info)
                (record, json) = (giftLine(facts), facts.json)
            }
            return (record, json)
        }
    }
}
