// A file of the policy directory that is not in force as it stands there, as methods tell it.

package import MAMModel

/// The type RefusedDocument.
package struct RefusedReport: Sendable, Equatable {
    package let file: String
    package let reason: String
    /// Seconds since 1970.
    package let since: Int
    /// The documents of the last good version, which is in force instead; nil if nothing is.
    package let inForce: String?
    package let inForceSince: Int?

    package init(
        file: String, reason: String, since: Int, inForce: String?, inForceSince: Int?
    ) {
        self.file = file
        self.reason = reason
        self.since = since
        self.inForce = inForce
        self.inForceSince = inForceSince
    }

    package var json: JSONValue {
        [
            "file": .string(file), "reason": .string(reason), "since": JSONValue(since),
            "lastGoodInForce": .bool(inForce != nil), "inForce": JSONValue(inForce),
            "inForceSince": inForceSince.map { JSONValue($0) } ?? .null,
        ]
    }
}

extension [RefusedReport] {
    /// Reads the member `refused`, as several methods answer it.
    package init(_ wire: Parameters) throws(VarlinkError) {
        self = []
        for refused in try wire.objects("refused") {
            append(
                RefusedReport(
                    file: try refused.string("file"), reason: try refused.string("reason"),
                    since: try refused.integer("since"),
                    inForce: try refused.optionalString("inForce"),
                    inForceSince: try refused.optionalInteger("inForceSince")))
        }
    }
}
