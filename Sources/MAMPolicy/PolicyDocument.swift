// What an organisation's document says, as Microsoft Graph exports it.

internal import MAMModel

/// One app protection policy or app configuration, as Microsoft Graph exports it.
package struct PolicyDocument: Sendable, Equatable {
    package var id: String?
    package var displayName: String?
    package var version: String?
    /// The name of the file that it stands in.
    package var file: String?
    package var kind = Kind.protection
    /// True for the tenant's default, which another document of its kind beats outright.
    package var isDefault = false
    /// Written for programs of Android or Windows.
    package var isOfOtherSystem = false
    /// False: written, and not in force.
    package var isAssigned = true
    /// Names or ids of the workspaces that are covered; nil for all, empty for none.
    package var workspaces: [String]?
    /// Whom it covers; with none of them everybody.
    package var assignments: [Assignment] = []
    package var rules = PolicyRules()
    package var customSettings: [NamedValue] = []
    /// What was read past.
    package var warnings: [PolicyWarning] = []

    package init() {}

    package enum Kind: Sendable {
        case protection, configuration
    }

    /// For people: the name, else the id, else the file.
    package var label: String { displayName ?? id ?? file ?? "a document without a name" }

    /// The label, and the version if the document tells one.
    package var labelWithVersion: String { version.map { "\(label) (version \($0))" } ?? label }

    package var isProtection: Bool { kind == .protection }

    var isProtectionInForce: Bool { isProtection && isAssigned }
}
