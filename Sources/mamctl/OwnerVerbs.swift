// `owner`, `class`, `info` and `is-encrypted`.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

func owner(_ invocation: Invocation) throws -> ExitStatus {
    if let identity = try invocation.arguments.text("set") {
        return eachFile(invocation) { path in
            let facts = try invocation.setOwner(identity, of: path)
            return (ownerLine(facts), facts.json)
        }
    }
    var isAnyManaged = false
    let status = eachFile(invocation) { path in
        let facts = try invocation.facts(of: path)
        if facts.isDamaged { throw facts.damage }
        isAnyManaged = isAnyManaged || facts.isManaged
        return (ownerLine(facts), facts.json)
    }
    return status == .success && !isAnyManaged ? .notManaged : status
}

/// One line per file or directory: the class, or `-` for none, a tab, and the path.
func protectionClass(_ invocation: Invocation) throws -> ExitStatus {
    if let text = try invocation.arguments.text("set") {
        let asked = try invocation.askedClass(text)
        return eachFile(invocation) { path in
            let facts = try invocation.setClass(asked, of: path)
            if let asked, facts.effectiveClass != asked { explain(facts, asked) }
            return (classLine(facts), facts.json)
        }
    }
    return eachFile(invocation) { path in
        let facts = try invocation.facts(of: path, orDirectory: true)
        if facts.isDamaged { throw facts.damage }
        return (classLine(facts), facts.json)
    }
}

/// Says on standard error that policy or the ceiling decided otherwise.
private func explain(_ facts: FileFacts, _ asked: ProtectionClass) {
    let what = facts.state == .directory ? "new files get" : "it has"
    let letter = facts.effectiveClass?.letter ?? "none"
    printError(
        "\(facts.path.shown): class \(asked.letter) is noted, but \(what) class \(letter): \(ByteString(facts.reason).shown)"
    )
}

private func classLine(_ facts: FileFacts) -> String {
    "\(facts.fileClass?.letter ?? "-")\t\(facts.path.shown)"
}

func info(_ invocation: Invocation) throws -> ExitStatus {
    var isAnyDamaged = false
    let status = eachFile(invocation) { path in
        let facts = try invocation.facts(of: path, orDirectory: true)
        isAnyDamaged = isAnyDamaged || facts.isDamaged
        return (describe(facts), facts.json)
    }
    return status == .success && isAnyDamaged ? .damaged : status
}

func isEncrypted(_ invocation: Invocation) throws -> ExitStatus {
    let facts = try invocation.facts(of: invocation.operands[0])
    if facts.isDamaged { throw facts.damage }
    if invocation.isJSON {
        printJSON(.array([facts.json]))
    } else {
        printOut("\(facts.path.shown): \(facts.isEncrypted ? "encrypted" : "not encrypted")")
    }
    return facts.isEncrypted ? .success : .failure
}

/// Prints what `body` tells of each file. One file's failure is reported and does not keep the others
/// from being answered; the first failure's status is the result.
private func eachFile(
    _ invocation: Invocation, _ body: (ByteString) throws -> (line: String, json: JSONValue)
) -> ExitStatus {
    var status = ExitStatus.success
    var answers: [JSONValue] = []
    for path in invocation.operands {
        do {
            let answer = try body(path)
            answers.append(answer.json)
            if !invocation.isJSON { printOut(answer.line) }
        } catch {
            let failure = Failure(any: error)
            failure.report(isJSON: false)
            answers.append(["path": .string(path.shown), "error": failure.json])
            if status == .success { status = failure.status }
        }
    }
    if invocation.isJSON { printJSON(.array(answers)) }
    return status
}

private func ownerLine(_ facts: FileFacts) -> String {
    "\(ByteString(facts.owner.description).shown)\t\(facts.path.shown)"
}

func describe(_ facts: FileFacts) -> String {
    if facts.state == .directory { return describeDirectory(facts) }
    var rows = [["  owner", ByteString(facts.owner.description).shown]]
    if !facts.owner.name.isEmpty, !facts.owner.objectID.isEmpty {
        rows.append(["  object id", ByteString(facts.owner.objectID).shown])
    }
    rows.append(["  managed", facts.isManaged ? "yes" : "no"])
    if let fileClass = facts.fileClass { rows.append(["  class", words(fileClass)]) }
    if let effective = facts.effectiveClass {
        rows.append(["  effective class", words(effective)])
    }
    rows.append(["  state", facts.state?.rawValue ?? "known only to its daemon"])
    rows.append(["  why", ByteString(facts.reason).shown])
    return "\(Style.output.bold(facts.path.shown))\n\(table(rows))"
}

private func describeDirectory(_ facts: FileFacts) -> String {
    var rows = [["  class", facts.fileClass.map(words) ?? "none of its own"]]
    if let effective = facts.effectiveClass {
        rows.append(["  class of new files", words(effective)])
    }
    rows.append(["  why", ByteString(facts.reason).shown])
    return "\(Style.output.bold(facts.path.shown))\n\(table(rows))"
}

private func words(_ protectionClass: ProtectionClass) -> String {
    "\(protectionClass.letter)  \(protectionClass.appleName)"
}

extension Invocation {
    /// Nil for what policy says.
    fileprivate func askedClass(_ text: String) throws -> ProtectionClass? {
        if text == "policy" { return nil }
        guard let asked = ProtectionClass(text) else {
            throw Failure(
                .usage, "there is no class '\(ByteString(text).shown)'",
                next: "mamctl class --set A|B|C|D|policy PATH")
        }
        return asked
    }

    fileprivate func setClass(
        _ asked: ProtectionClass?, of path: ByteString
    ) throws -> FileFacts {
        let file = try openForQuestion(path, orDirectory: true)
        guard let name = workspace(of: file) else {
            throw Failure(
                .failure, "\(path.shown): only what lies in a mounted workspace has a class to set")
        }
        return try protection(
            "SetClass", ["class": JSONValue(asked?.letter)], of: file, path, in: name)
    }

    fileprivate func setOwner(_ identity: String, of path: ByteString) throws -> FileFacts {
        let file = try openForQuestion(path)
        guard let name = workspace(of: file) else {
            throw Failure(
                .failure, "\(path.shown): only a file in a mounted workspace can change its owner",
                next: "mamctl encrypt \(path.shown) --owner UPN")
        }
        return try protection("SetOwner", ["owner": .string(identity)], of: file, path, in: name)
    }
}
