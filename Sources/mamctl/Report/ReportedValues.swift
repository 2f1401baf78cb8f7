// What a status tells the organisation, in words for the person whom it is about.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Each value that is sent, in the order of its path, and each member that is sent and not shown.
func rowsOfReport(_ preview: Varlink.Fleet.Preview.Reply) -> [[Message]] {
    let names = preview.status.object?["accounts"]?.array?.map(nameOfAccount) ?? []
    let withheld: Message = "is sent, and shown to root"
    let values = leaves([], preview.status) + preview.withheld.map { ([$0], withheld) }
    return values.sorted { $0.path.lexicographicallyPrecedes($1.path) }.map {
        ["  \(label($0.path, names))", $0.value]
    }
}

private func nameOfAccount(_ account: JSONValue) -> String {
    let members = account.object ?? [:]
    let name = members["name"]?.text ?? ""
    return shown(name.isEmpty ? members["objectId"]?.text ?? "" : name)
}

/// What has no words here, such as what a newer daemon tells, is named by its path.
private func label(_ path: [String], _ accounts: [String]) -> Message {
    let rest = path.dropFirst()
    let inner = Message.verbatim(shown(rest.joined(separator: ".")))
    switch path[0] {
    case "accounts":
        guard let number = rest.first.flatMap({ Int($0) }), accounts.indices.contains(number - 1)
        else { return "accounts" }
        let member = rest.dropFirst().joined(separator: ".")
        return "\(accounts[number - 1]): \(wordsOfAccount[member] ?? .verbatim(shown(member)))"
    case "documents" where !rest.isEmpty: return "document \(inner)"
    case "settings" where !rest.isEmpty: return "setting \(inner), why it is not as asked"
    case "suspects" where !rest.isEmpty: return "documents that it refused, \(inner)"
    case "diagnostics" where !rest.isEmpty: return "diagnostics, \(inner)"
    case "obeyed" where !rest.isEmpty: return "order that it has accepted"
    default:
        let whole = path.joined(separator: ".")
        return wordsOfMachine[whole] ?? .verbatim(shown(whole))
    }
}

private let wordsOfMachine: [String: Message] = [
    "contained": "can contain programs", "documents": "documents",
    "facts.encrypted": "the disk is encrypted",
    "facts.restartRequired": "updates wait for a restart", "facts.system": "system",
    "host": "name of this machine", "kernel": "kernel", "mounted": "is mounted",
    "obeyed": "orders that it has accepted", "pending": "orders that are not done",
    "problem": "why check-ins fail", "refused": "refused accesses in seven days",
    "rootSerial": "number of the organisation's root",
    "settings": "settings that are asked for", "suspects": "documents that it refused",
    "verify": "last verify", "verify.findings": "what the last verify has found",
    "verify.time": "last verify", "version": "version of mamd",
    "workspace": "name of the workspace",
]

private let wordsOfAccount: [String: Message] = [
    "blockedBy": "what blocks it", "checkedIn": "last check-in",
    "compliant": "meets its conditions", "files": "files in use", "id": "id",
    "lastUse": "last use", "level": "policies", "name": "name", "objectId": "object id",
    "reset.ends": "a new passphrase is asked for, until",
    "reset.keySet": "a new passphrase, for the keys",
    "reset.publicKey": "a new passphrase, key of the request",
    "window": "open, locked or blocked",
]

private func leaves(
    _ path: [String], _ value: JSONValue
) -> [(path: [String], value: Message)] {
    func inner(_ parts: [(String, JSONValue)]) -> [(path: [String], value: Message)] {
        guard !parts.isEmpty else { return [(path, "none")] }
        return parts.flatMap { leaves(path + [$0], $1) }
    }
    return switch value {
    case .object(let object): inner(object.map { ($0, $1) })
    case .array(let values): inner(values.enumerated().map { ("\($0 + 1)", $1) })
    case .null, .string(""): [(path, "none")]
    case .bool(let value): [(path, value ? "yes" : "no")]
    case .string(let text): [(path, .verbatim(shown(text)))]
    case .integer, .number: [(path, .verbatim(String(decoding: value.encoded(), as: UTF8.self)))]
    }
}
