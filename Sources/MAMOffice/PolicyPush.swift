// Which policies and settings are wanted, and what must be signed for that.

package import MAMFleet
package import MAMModel

/// A policy for one audience, what is asked of its settings, or a membership.
package struct WantedPolicy: Sendable, Equatable {
    package let slot: Slot
    package let content: [UInt8]
    /// The file that it is from.
    package let file: String

    package init(_ slot: Slot, _ content: [UInt8], from file: String) {
        (self.slot, self.content, self.file) = (slot, content, file)
    }
}

/// What has to be done for one slot.
package struct PolicyChange: Sendable, Equatable {
    package let slot: Slot
    package let action: Action
    /// The content to sign; empty to withdraw the policy.
    package let content: [UInt8]
    /// The document that is replaced, with its file.
    package let former: SignedPolicy?

    package enum Action: String, Sendable, CaseIterable {
        case new, changed
        /// The same again: it expires soon, its key was taken away, or a clock ahead has signed it.
        case renewed
        case withdrawn
        /// In force, though the directory does not have it.
        case left
    }

    /// Of a new policy all that it says; of a membership nothing: see ``MembershipChange``.
    package var differences: [FieldDifference] {
        guard slot.kind != .membership else { return [] }
        return switch action {
        case .new: MAMOffice.differences([], content)
        case .changed: MAMOffice.differences(former?.content ?? [], content)
        case .renewed, .withdrawn, .left: []
        }
    }
}

/// A document below `signed/`, verified or not.
package struct SignedPolicy: Sendable, Equatable {
    package let file: String
    package let slot: Slot
    package let serial: Int64
    /// In seconds since 1970, as ``expires``.
    package let issued: Int64
    package let expires: Int64
    package let content: [UInt8]
    /// Whether machines accept its signatures.
    package let isValid: Bool
    /// The machines that have ``content``; nil: all.
    package var ring: Ring?
    /// What the others have.
    package var replaced: [UInt8]?
}

/// What to sign, so that the machines have what is wanted.
package struct PolicyPush: Sendable {
    /// In the order of the slots.
    package let changes: [PolicyChange]
    package let unchangedCount: Int

    /// A document is signed again when it has less than this left.
    package static let renewalDays: Int64 = 30

    /// `isPruning`: what the directory does not have is withdrawn. Policies for single machines
    /// were signed by hand, and stay.
    package init(
        _ wanted: [WantedPolicy], signed: [SignedPolicy], isPruning: Bool, at now: Int64
    ) {
        let former = Dictionary(signed.map { ($0.slot, $0) }) { $0.serial > $1.serial ? $0 : $1 }
        var changes: [PolicyChange] = []
        for policy in wanted {
            let known = former[policy.slot]
            if let action = Self.action(policy, known, at: now) {
                changes.append(
                    PolicyChange(
                        slot: policy.slot, action: action, content: policy.content, former: known))
            }
        }
        unchangedCount = wanted.count - changes.count
        let slots = Set(wanted.map(\.slot))
        for known in former.values where !slots.contains(known.slot) && !known.content.isEmpty {
            if case .machine = known.slot.audience { continue }
            changes.append(
                PolicyChange(
                    slot: known.slot, action: isPruning ? .withdrawn : .left, content: [],
                    former: known))
        }
        self.changes = changes.sorted { $0.slot.description < $1.slot.description }
    }

    /// What puts a former version in the place of the present one.
    package init(restoring former: SignedPolicy, over present: SignedPolicy?) {
        let isThere = present.map { !$0.content.isEmpty } ?? false
        let action: PolicyChange.Action =
            former.content.isEmpty ? .withdrawn : isThere ? .changed : .new
        changes = [
            PolicyChange(
                slot: former.slot, action: action, content: former.content, former: present)
        ]
        unchangedCount = 0
    }

    private static func action(
        _ wanted: WantedPolicy, _ former: SignedPolicy?, at now: Int64
    ) -> PolicyChange.Action? {
        guard let former, !former.content.isEmpty else { return .new }
        if former.content != wanted.content { return .changed }
        let isLasting = former.expires - now >= renewalDays * secondsPerDay
        let isOfToday = former.issued <= now + Judge.toleratedSeconds
        return former.isValid && isLasting && isOfToday ? nil : .renewed
    }
}

extension OrganizationDirectory {
    /// All policies and settings, also those whose keys count no more: they are to be signed again.
    package func signedPolicies(
        by root: Root, of organization: Bytes16
    ) throws(Failure) -> [SignedPolicy] {
        try policies(below: Self.signed, by: root, of: organization)
    }

    func policies(
        below directory: String, by root: Root, of organization: Bytes16,
        _ kinds: Set<DocumentKind> = [.policy, .settings]
    ) throws(Failure) -> [SignedPolicy] {
        var found: [SignedPolicy] = []
        for name in try files(below: directory) {
            let envelope = try envelope(name)
            guard kinds.contains(envelope.kind) else { continue }
            do throws(Refusal) {
                let statement = try envelope.statement(of: organization)
                let document = try? SignedDocument(envelope, by: root, of: organization)
                let pair =
                    statement.ring == nil ? nil : try PolicyPair(parsing: envelope.content)
                found.append(
                    SignedPolicy(
                        file: name, slot: Slot(envelope.kind, statement.audience, statement.name),
                        serial: statement.serial, issued: statement.issued,
                        expires: statement.expires ?? .max,
                        content: pair?.policy ?? envelope.content, isValid: document != nil,
                        ring: statement.ring, replaced: pair?.former))
            } catch { throw failure(name, error) }
        }
        return found
    }
}
