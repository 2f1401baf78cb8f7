// The organisation's configuration for programs: the SDK's IntuneMAMAppConfigManager.

internal import MAMModel
internal import MAMWire

/// The app configurations of accounts.
public struct AppConfigManager: Sendable {
    let service: Service

    /// An account's configuration, which may be empty; nil: that of the identity this process acts
    /// for.
    public func appConfig(forAccountId accountId: String? = nil) -> AppConfig {
        AppConfig(service: service, accountId: accountId)
    }
}

/// An account's app configuration: `IntuneMAMAppConfig`. A value of the tenant's default counts
/// only if no targeted configuration sets the key.
public struct AppConfig: Sendable {
    /// Which of several values to return.
    public enum BoolQuery: String, Sendable, Hashable {
        /// Any one of them.
        case any
        /// True if any is.
        case or
        /// True if all are.
        case and
    }

    /// Which of several values to return.
    public enum OrderedQuery: String, Sendable, Hashable {
        /// Any one of them.
        case any
        /// The smallest.
        case min
        /// The greatest.
        case max
    }

    let service: Service
    let accountId: String?

    /// One dictionary per configuration; the tenant's default has the key `__IsDefault`.
    public func fullData() throws(MAMError) -> [[String: AppConfigValue]] {
        let request = Varlink.Policy.Configuration(accounts: accountId.map { [$0] })
        return try service.call(request).fullData.map { configuration in
            (configuration.object ?? [:]).mapValues { AppConfigValue($0) }
        }
    }

    /// True if several targeted configurations disagree on the key.
    public func hasConflict(_ key: String) throws(MAMError) -> Bool {
        try service.call(
            Varlink.Policy.ConfigurationConflict(key: key, account: accountId)
        ).conflict
    }

    /// A boolean; nil if there is none.
    public func boolValue(
        forKey key: String, _ query: BoolQuery = .any
    ) throws(MAMError) -> Bool? {
        try value(key, .bool, .init(rawValue: query.rawValue)).one.flatMap(Self.bool)
    }

    /// A number; nil if there is none.
    public func numberValue(
        forKey key: String, _ query: OrderedQuery = .any
    ) throws(MAMError) -> Double? {
        try value(key, .number, .init(rawValue: query.rawValue)).one.flatMap(Self.number)
    }

    /// A string; nil if there is none.
    public func stringValue(
        forKey key: String, _ query: OrderedQuery = .any
    ) throws(MAMError) -> String? {
        try value(key, .string, .init(rawValue: query.rawValue)).one.flatMap(Self.text)
    }

    /// All values that are booleans.
    public func allBools(forKey key: String) throws(MAMError) -> [Bool] {
        try value(key, .bool, .any).all.compactMap(Self.bool)
    }

    /// All values that are numbers.
    public func allNumbers(forKey key: String) throws(MAMError) -> [Double] {
        try value(key, .number, .any).all.compactMap(Self.number)
    }

    /// All values, as strings.
    public func allStrings(forKey key: String) throws(MAMError) -> [String] {
        try value(key, .string, .any).all.compactMap(Self.text)
    }

    private typealias Found = (one: AppConfigValue?, all: [AppConfigValue])

    private func value(
        _ key: String, _ type: Varlink.Policy.ValueType, _ query: Varlink.Policy.ValueQuery?
    ) throws(MAMError) -> Found {
        let reply = try service.call(
            Varlink.Policy.ConfigurationValue(
                key: key, type: type, query: query, account: accountId))
        return (reply.value.map { AppConfigValue($0) }, reply.all.map { AppConfigValue($0) })
    }

    private static func bool(_ value: AppConfigValue) -> Bool? {
        if case .bool(let value) = value { value } else { nil }
    }

    private static func number(_ value: AppConfigValue) -> Double? {
        if case .number(let value) = value { value } else { nil }
    }

    private static func text(_ value: AppConfigValue) -> String? {
        if case .string(let value) = value { value } else { nil }
    }
}

/// A configuration value, as in the document.
public enum AppConfigValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// A boolean.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// Several values.
    case array([AppConfigValue])
    /// Named values.
    case object([String: AppConfigValue])

    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .number(Double(value))
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map { AppConfigValue($0) })
            case .object(let values): .object(values.mapValues { AppConfigValue($0) })
            }
    }
}
