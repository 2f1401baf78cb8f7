// `owner`, `info` and `is-encrypted`.

internal import MAMControl
internal import MAMModel
internal import MAMSystem

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

func info(_ invocation: Invocation) throws -> ExitStatus {
    var isAnyDamaged = false
    let status = eachFile(invocation) { path in
        let facts = try invocation.facts(of: path)
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

private func describe(_ facts: FileFacts) -> String {
    var rows = [["  owner", ByteString(facts.owner.description).shown]]
    if !facts.owner.name.isEmpty, !facts.owner.objectID.isEmpty {
        rows.append(["  object id", ByteString(facts.owner.objectID).shown])
    }
    rows.append(["  managed", facts.isManaged ? "yes" : "no"])
    if let fileClass = facts.fileClass {
        rows.append(["  class", "\(fileClass.letter)  \(fileClass.appleName)"])
    }
    if let effective = facts.effectiveClass {
        rows.append(["  effective class", "\(effective.letter)  \(effective.appleName)"])
    }
    rows.append(["  state", facts.state?.rawValue ?? "known only to its daemon"])
    rows.append(["  why", ByteString(facts.reason).shown])
    return "\(Style.output.bold(facts.path.shown))\n\(table(rows))"
}

extension Invocation {
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
