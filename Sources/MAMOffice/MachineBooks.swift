// The policies and members of each machine, as it has them before a push and after it.

internal import MAMFleet
internal import MAMModel
internal import MAMPolicy

/// Makes each book once: most machines have the same policies.
final class MachineBooks {
    /// The books of machines that have the same.
    final class Pair {
        let before, after: PolicyBook
        private var known: [Coverage: [PolicyEffect]] = [:]

        private struct Coverage: Hashable {
            /// Nil: nothing covers the account.
            let before: PolicyBook.Numbers?
            let after: PolicyBook.Numbers
            let version: String
        }

        fileprivate init(before: PolicyBook, after: PolicyBook) {
            (self.before, self.after) = (before, after)
        }

        /// What the account's policy closes beside what the one before closed. Found once for all
        /// accounts that the same documents cover.
        func effects(on account: Identity, version: String) -> [PolicyEffect] {
            let coverage = Coverage(
                before: before.covers(account) ? before.numbers(for: account) : nil,
                after: after.numbers(for: account), version: version)
            if let effects = known[coverage] { return effects }
            // What no policy covers is closed now; it says the same as of an account that is open.
            let former = coverage.before.map(before.policy(of:)) ?? .unrestricted
            let effects = after.policy(of: coverage.after).effects(since: former, version: version)
            known[coverage] = effects
            return effects
        }
    }

    private let wanted: Wanted
    private var before: [Slot: [PolicyDocument]] = [:]
    private var after: [Slot: [PolicyDocument]] = [:]
    private var memberships: [Slot: Membership] = [:]
    private var known: [Key: Pair] = [:]

    private struct Key: Hashable {
        let slots: Set<Slot>
        let workspace: String
        let members: [String: [String]]?
    }

    init(_ changes: [PolicyChange], _ signed: [SignedPolicy], _ wanted: Wanted) {
        self.wanted = wanted
        for policy in signed.sorted(by: { $0.serial < $1.serial }) where policy.isValid {
            // Of a ring's two what more machines have.
            before[policy.slot] = policyDocuments(
                policy.replaced ?? policy.content, in: policy.slot)
        }
        after = before
        for change in changes where change.isNoticed {
            if change.slot.kind == .membership {
                memberships[change.slot] = try? Membership(parsing: change.content)
            } else {
                after[change.slot] = policyDocuments(change.content, in: change.slot)
            }
        }
    }

    func pair(for machine: MachineID, _ workspace: String) -> Pair {
        let groups = wanted.groups(of: machine)
        let slots = Set(before.keys).union(after.keys).filter {
            $0.audience.includes(machine, in: groups)
        }
        let key = Key(
            slots: slots, workspace: workspace, members: wanted.membersForMachines[machine])
        if let pair = known[key] { return pair }
        let book = { (policies: [Slot: [PolicyDocument]], new: [Slot: Membership]) in
            PolicyBook(
                documents: slots.sorted { $0.description < $1.description }
                    .flatMap { policies[$0] ?? [] },
                workspace: [workspace], groups: self.wanted.members(for: machine, with: new),
                mayLoosen: false)
        }
        let pair = Pair(before: book(before, [:]), after: book(after, memberships))
        known[key] = pair
        return pair
    }
}

/// As machines read a signed policy; none of what they cannot read. A push has the signature of a
/// policy key, with which it may not wipe yet.
func policyDocuments(
    _ content: [UInt8], in slot: Slot, mayWipe: Bool = false
) -> [PolicyDocument] {
    guard !content.isEmpty, slot.kind == .policy,
        let documents = try? PolicyDocument.decode(content, file: slot.description)
    else { return [] }
    return documents.map { document in
        var document = document
        document.noteSigned(mayWipe: mayWipe)
        return document
    }
}
