// The interface's type Decision.

package import MAMModel

/// What the socket tells of one answer.
package struct DecisionReport: Sendable, Equatable {
    package let decision: Decision

    package init(_ decision: Decision) { self.decision = decision }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        decision = Decision(
            isAllowed: try wire.bool("allowed"), reason: try wire.string("reason"),
            rule: try wire.optionalString("rule"))
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "allowed": .bool(decision.isAllowed), "reason": .string(decision.reason),
            "rule": JSONValue(decision.rule),
        ]
    }
}
