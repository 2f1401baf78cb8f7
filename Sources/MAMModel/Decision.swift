// What policy says to one question, and why.

/// An answer. The program that asks shows the reason to a person, so that nobody has to guess.
package struct Decision: Sendable, Equatable {
    /// The answer is yes: allowed, or required if that was the question.
    package let isAllowed: Bool
    /// One sentence.
    package let reason: String
    /// The property of the policy that decided, as Graph names it; nil if none had to.
    package let rule: String?

    package init(isAllowed: Bool, reason: String, rule: String?) {
        self.isAllowed = isAllowed
        self.reason = reason
        self.rule = rule
    }

    package static func yes(_ reason: String, by rule: String? = nil) -> Decision {
        Decision(isAllowed: true, reason: reason, rule: rule)
    }

    package static func no(_ reason: String, by rule: String? = nil) -> Decision {
        Decision(isAllowed: false, reason: reason, rule: rule)
    }
}
