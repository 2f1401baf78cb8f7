// The app configuration of an account.

internal import MAMModel
internal import MAMPolicy
internal import MAMTree
internal import MAMVault
internal import MAMWire

/// Answers the calls about app configuration.
struct PolicyConfiguration: PolicyService {
    let tree: Tree

    func all(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Configuration.Reply {
        let request: Wire.Configuration = try call.request()
        let accounts =
            if let names = request.accounts {
                try identities(names, in: "accounts", call)
            } else {
                [try principal(nil, call).identity]
            }
        var data: [JSONValue] = []
        for account in accounts { data += try configuration(of: account).fullData.array ?? [] }
        return .init(fullData: data)
    }

    func conflict(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ConfigurationConflict.Reply {
        let request: Wire.ConfigurationConflict = try call.request()
        return .init(
            conflict: try configuration(of: request.account, call).hasConflict(request.key))
    }

    /// One value of the requested type, and all values of that type.
    func value(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ConfigurationValue.Reply {
        let request: Wire.ConfigurationValue = try call.request()
        let (key, configuration) = (request.key, try configuration(of: request.account, call))
        switch request.type ?? .string {
        case .bool:
            return .init(
                value: configuration.truth(key, try query(request, .any))?.json,
                all: configuration.truths(key).map(\.json))
        case .number:
            return .init(
                value: configuration.number(key, try query(request, .any)).map(Self.number),
                all: configuration.numbers(key).map(Self.number))
        case .string:
            return .init(
                value: configuration.text(key, try query(request, .any))?.json,
                all: configuration.texts(key).map(\.json))
        }
    }

    private func configuration(
        of account: String?, _ call: VarlinkCall
    ) throws(VarlinkError) -> AppConfiguration {
        try configuration(of: try principal(account, call).identity)
    }

    private func configuration(of identity: Identity) throws(VarlinkError) -> AppConfiguration {
        try vaulted { () throws(VaultError) in try NameRights(vault).configuration(of: identity) }
    }

    private func query<Query: RawRepresentable<String> & CaseIterable>(
        _ request: Wire.ConfigurationValue, _ otherwise: Query
    ) throws(VarlinkError) -> Query {
        guard let word = request.query else { return otherwise }
        guard let query = Query(rawValue: word.rawValue) else {
            let all = Query.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidInput("query is one of \(all)")
        }
        return query
    }

    private static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }
}
