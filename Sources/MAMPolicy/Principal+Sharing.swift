// The share sheet: the programs that it offers, and what they get.

package import MAMModel

/// What a program gets of a managed file.
package struct ShareOffer: Sendable, Equatable {
    /// Whether it is offered.
    package let decision: Decision
    /// It gets the sealed file, which only a managed program can read.
    package let isSealed: Bool

    private init(_ decision: Decision, isSealed: Bool = false) {
        self.decision = decision
        self.isSealed = isSealed
    }

    static func clear(_ reason: Message, by rule: String?) -> ShareOffer {
        ShareOffer(.yes(reason, by: rule))
    }

    static func sealed(_ reason: Message, by rule: String) -> ShareOffer {
        ShareOffer(.yes(reason, by: rule), isSealed: true)
    }

    static func none(_ reason: Message, by rule: String) -> ShareOffer {
        ShareOffer(.no(reason, by: rule))
    }
}

extension Principal {
    /// Whether a program is offered for a file of this account.
    package func shareOffer(toManagedProgram isManagedProgram: Bool) -> ShareOffer {
        guard isManaged else { return .clear(freedom.reason, by: nil) }
        switch policy.outbound {
        case .allApps: return .clear("\(identity) may send to all programs", by: Rule.outbound)
        case .noApps: return .none("\(identity) may send to no program", by: Rule.outbound)
        case .managedApps: break
        }
        if rules.disableProtectionOfManagedOutboundOpenInData == true {
            let rule = "disableProtectionOfManagedOutboundOpenInData"
            return isManagedProgram
                ? .clear("managed programs get files in the clear", by: rule)
                : .none("files leave in the clear, so only managed programs may get them", by: rule)
        }
        if isManagedProgram {
            return .sealed("\(identity) may send to managed programs", by: Rule.outbound)
        }
        let rule = "filterOpenInToOnlyManagedApps"
        return rules.filterOpenInToOnlyManagedApps == true
            ? .none("only managed programs are offered", by: rule)
            : .sealed("encrypted files may be handed to any program", by: rule)
    }
}
