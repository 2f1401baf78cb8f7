// A document as Microsoft Graph exports it.

package import MAMFormat
internal import MAMModel

/// An app protection policy or app configuration.
package struct PolicyDocument: Sendable, Equatable {
    package var id: String?
    package var displayName: String?
    package var version: String?
    /// The name of the file that contains it.
    package var file: String?
    package var kind = Kind.protection
    /// True for the tenant's default, which any other document of its type replaces.
    package var isDefault = false
    /// Counts only for accounts that no other protection covers, and covers none itself.
    package var isPlaceholder = false
    /// For apps of Android or Windows.
    package var isOfOtherSystem = false
    /// False: not in force.
    package var isAssigned = true
    /// The names or ids of covered workspaces; nil for all, empty for none.
    package var workspaces: [String]?
    /// The accounts that it covers; everybody if empty.
    package var assignments: [Assignment] = []
    package var rules = PolicyRules()
    package var customSettings: [NamedValue] = []
    /// What was ignored.
    package var warnings: [PolicyWarning] = []

    package init() {}

    package enum Kind: Sendable {
        case protection, configuration
    }

    /// For messages: the name, else the id, else the file.
    package var label: String {
        let name = displayName ?? id ?? file ?? "a document without a name"
        return ringNote.map { "\(name) (\($0))" } ?? name
    }

    /// Which one this is of a signed policy and the one that it replaces for a share of machines.
    package var ringNote: String?

    /// The label with the version, if the document has one.
    package var labelWithVersion: String { version.map { "\(label) (version \($0))" } ?? label }

    package var isProtection: Bool { kind == .protection }

    /// An organisation that the workspace has joined has signed it.
    package private(set) var isSigned = false
    private var isAllowedToWipe = true

    /// Whether accounts are wiped under it. Where not, it closes them instead.
    package var mayWipe: Bool { isAllowedToWipe && !(isSigned && isForTheRest) }

    /// Whether it covers those whom something else leaves to it, another document or a membership:
    /// who takes that away, or holds it back, would choose whom it wipes.
    private var isForTheRest: Bool {
        isDefault
            || assignments.contains { if case .allBut = $0 { true } else { false } }
    }

    /// True for what was exported from an organisation's tenant: Graph gives every document an id.
    /// What people write themselves has none.
    package var isFromTenant: Bool { id != nil || isSigned }

    package var isProtectionInForce: Bool { isProtection && isAssigned }

    /// Whether an account that it is for has a policy by it. One that only adds something, such as
    /// a recovery key, leaves that to other documents.
    package var covers: Bool { isProtection && !isPlaceholder && rules.decide }

    /// For who writes it: it may be meant to cover.
    package var remarks: [PolicyWarning] { isProtection && !covers ? [.coversNobody] : [] }

    /// The properties under which it demands a wipe, by their names in Graph.
    package var wipeRules: [String] { isProtection ? rules.wiping : [] }

    /// An organisation has signed it. Time offline that is asked for in seconds would wipe whoever
    /// is in a train, so that a day is the least.
    package mutating func noteSigned(mayWipe: Bool) {
        (isSigned, isAllowedToWipe) = (true, mayWipe)
        guard let period = rules.periodOfflineBeforeWipeIsEnforced, period.seconds > 0,
            period < Self.leastOfflineWipe
        else { return }
        rules.periodOfflineBeforeWipeIsEnforced = Self.leastOfflineWipe
        warnings.append(.shortOfflineWipe(period.text))
    }

    private static let leastOfflineWipe = PolicyDuration(seconds: 86_400)

    /// Those of all documents of a text that wipe once order keys have signed it; empty, too, for a
    /// text that is no policy.
    package static func wipeRules(in text: [UInt8]) -> [String] {
        wipeRules(in: text) { !$0.isForTheRest }
    }

    /// Those of defaults and of documents that exclude a group: signed by an organisation, with
    /// whatever keys, they only close.
    package static func closingWipeRules(in text: [UInt8]) -> [String] {
        wipeRules(in: text, where: \.isForTheRest)
    }

    /// The recovery keys that the documents of a text name, each once; none of a text that is no
    /// policy.
    package static func recoveryKeys(in text: [UInt8]) -> [RecoveryPublicKey] {
        var found: [RecoveryPublicKey] = []
        for document in (try? decode(documentText(text))) ?? [] {
            for key in document.rules.mamdRecoveryPublicKey ?? [] where !found.contains(key) {
                found.append(key)
            }
        }
        return found
    }

    private static func wipeRules(
        in text: [UInt8], where isMeant: (PolicyDocument) -> Bool
    ) -> [String] {
        let documents = (try? decode(documentText(text))) ?? []
        return Set(documents.filter(isMeant).flatMap(\.wipeRules)).sorted()
    }
}
