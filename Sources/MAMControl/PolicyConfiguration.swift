// What the organisation tells an account's programs.

internal import MAMModel
internal import MAMPolicy
internal import MAMTree
internal import MAMVault
internal import MAMWire

/// What an account's programs are configured with.
struct PolicyConfiguration: PolicyService {
    let tree: Tree

    func all(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["accounts"])
        let accounts =
            call.parameters.has("accounts")
            ? try identities(call, "accounts") : [try principal(call, "account").identity]
        var data: [JSONValue] = []
        for account in accounts { data += try configuration(of: account).fullData.array ?? [] }
        return ["fullData": .array(data)]
    }

    func conflict(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["key", "account"])
        let key = try call.parameters.string("key")
        return ["conflict": .bool(try configuration(of: call).hasConflict(key))]
    }

    /// The value as one of the three types, and all values that can be read as that type.
    func value(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["key", "type", "query", "account"])
        let key = try call.parameters.string("key")
        let configuration = try configuration(of: call)
        switch try call.parameters.optionalString("type") ?? "string" {
        case "bool":
            let value = configuration.truth(key, try query(call, .any))
            return [
                "value": value.map { .bool($0) } ?? .null,
                "all": .array(configuration.truths(key).map { .bool($0) }),
            ]
        case "number":
            let value = configuration.number(key, try query(call, .any))
            return [
                "value": value.map(Self.number) ?? .null,
                "all": .array(configuration.numbers(key).map(Self.number)),
            ]
        case "string":
            return [
                "value": JSONValue(configuration.text(key, try query(call, .any))),
                "all": .array(configuration.texts(key).map { .string($0) }),
            ]
        default: throw .invalidInput("type is one of bool, number, string")
        }
    }

    private func configuration(of call: VarlinkCall) throws(VarlinkError) -> AppConfiguration {
        try configuration(of: try principal(call).identity)
    }

    private func configuration(of identity: Identity) throws(VarlinkError) -> AppConfiguration {
        try vaulted { () throws(VaultError) in try NameRights(vault).configuration(of: identity) }
    }

    private func query<Query: RawRepresentable<String> & CaseIterable>(
        _ call: VarlinkCall, _ otherwise: Query
    ) throws(VarlinkError) -> Query {
        guard let text = try call.parameters.optionalString("query") else { return otherwise }
        guard let query = Query(rawValue: text) else {
            let all = Query.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidInput("query is one of \(all)")
        }
        return query
    }

    private static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }
}
