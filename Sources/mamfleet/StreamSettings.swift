// The streams as they are made: see docs/adr/0057.

internal import MAMEngine
internal import MAMModel

extension MAMEngine.Stream {
    private static let nanoseconds: Int64 = 1_000_000_000
    private static let auditSeconds: Int64 = 90 * 86_400
    private static let doublesSeconds: Int64 = 3600
    /// A report of 1 MiB as base64, in its envelope.
    private static let reportByteCount: Int64 = 1_600_000
    private static let smallByteCount: Int64 = 16_384

    /// The configuration that JetStream makes the stream by.
    func settings(replicas: Int) -> JSONValue {
        var settings: [String: JSONValue] = [
            "name": .string(rawValue), "subjects": .array([.string(subjects)]),
            "storage": "file", "retention": "limits", "discard": "old",
            "num_replicas": .integer(Int64(replicas)), "max_bytes": .integer(byteCount),
        ]
        switch self {
        case .docs:
            settings["max_msgs_per_subject"] = 5
            // No bundle makes room for others'.
            settings["discard"] = "new"
            settings["deny_delete"] = true
            settings["deny_purge"] = true
            settings["allow_direct"] = true
        case .status:
            settings["max_msgs_per_subject"] = 1
            settings["max_msg_size"] = .integer(Self.reportByteCount)
        case .records:
            settings["max_msgs_per_subject"] = 2
            settings["max_msg_size"] = .integer(Self.reportByteCount)
        case .audit:
            settings["max_msg_size"] = .integer(Self.reportByteCount)
            settings["max_age"] = .integer(Self.auditSeconds * Self.nanoseconds)
            settings["duplicate_window"] = .integer(Self.doublesSeconds * Self.nanoseconds)
        case .enrolment:
            // The first one stands.
            settings["max_msgs_per_subject"] = 1
            settings["max_msg_size"] = .integer(Self.smallByteCount)
            settings["discard"] = "new"
            settings["discard_new_per_subject"] = true
        case .invited:
            settings["max_msgs_per_subject"] = 1
            settings["allow_direct"] = true
        }
        return .object(settings)
    }

    /// What each takes for itself, so that machines that fill one leave room in the others; 3.5 GiB
    /// together.
    private var byteCount: Int64 {
        switch self {
        case .docs: 1 << 30
        case .status, .records: 256 << 20
        case .audit: 2 << 30
        case .enrolment, .invited: 16 << 20
        }
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
