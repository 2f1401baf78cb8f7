// The answer of policy to one question, and its reason.

/// An answer. Programs show the reason to the user.
package struct Decision: Sendable, Equatable {
    /// The answer is yes: allowed, or required if that was the question.
    package let isAllowed: Bool
    /// One sentence.
    package let reason: Message
    /// The policy property that decided, by its name in Microsoft Graph; nil if none applied.
    package let rule: String?

    package init(isAllowed: Bool, reason: Message, rule: String?) {
        self.isAllowed = isAllowed
        self.reason = reason
        self.rule = rule
    }

    package static func yes(_ reason: Message, by rule: String? = nil) -> Decision {
        Decision(isAllowed: true, reason: reason, rule: rule)
    }

    package static func no(_ reason: Message, by rule: String? = nil) -> Decision {
        Decision(isAllowed: false, reason: reason, rule: rule)
    }
}

/// Why something is refused, for who knows what to do about it.
package enum RefusalCause: String, Sendable {
    /// Policy forbids it.
    case policy
    /// Policy asks for a better passphrase.
    case passphrase
}
