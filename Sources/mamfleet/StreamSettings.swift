// The streams as they are made: see docs/adr/0057.

internal import MAMCarrier
internal import MAMModel

extension MAMCarrier.Stream {
    private static let nanoseconds: Int64 = 1_000_000_000
    private static let auditSeconds: Int64 = 90 * 86_400
    private static let doublesSeconds: Int64 = 3600

    /// What JetStream is asked for.
    func settings(replicas: Int) -> JSONValue {
        var settings: [String: JSONValue] = [
            "name": .string(rawValue), "subjects": .array([.string(subjects)]),
            "storage": "file", "retention": "limits", "discard": "old",
            "num_replicas": .integer(Int64(replicas)),
        ]
        switch self {
        case .docs:
            settings["max_msgs_per_subject"] = 5
            settings["deny_delete"] = true
            settings["deny_purge"] = true
            settings["allow_direct"] = true
        case .status: settings["max_msgs_per_subject"] = 1
        case .records: settings["max_msgs_per_subject"] = 2
        case .audit:
            settings["max_age"] = .integer(Self.auditSeconds * Self.nanoseconds)
            settings["duplicate_window"] = .integer(Self.doublesSeconds * Self.nanoseconds)
        case .enrolment:
            // The first one stands.
            settings["max_msgs_per_subject"] = 1
            settings["discard"] = "new"
            settings["discard_new_per_subject"] = true
        case .invited:
            settings["max_msgs_per_subject"] = 1
            settings["allow_direct"] = true
        }
        return .object(settings)
    }

    private var subjects: String {
        switch self {
        case .docs: "docs.>"
        case .status: "status.*"
        case .records: "rec.*.*"
        case .audit: "audit.*"
        case .enrolment: "enrol.*"
        case .invited: "invited.*"
        }
    }
}
