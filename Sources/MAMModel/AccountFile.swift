// The list of all files that the daemon stores for an account.

/// One kind of file that the daemon stores for an account.
///
/// A wipe destroys all of them, one component at a time. Deregistering without a wipe leaves them,
/// and so does a change of the object id, because the account's id names them. An export reads the
/// keybag; an import refuses an id that has a keybag or a wipe. Files about many accounts
/// (`enrollment/workspace`, `enrollment/departed`, the audit trail) are not listed here and stay.
package enum AccountFile: CaseIterable, Sendable {
    /// One per recovery key.
    case recoveryRecord
    /// Two copies.
    case keybag
    case wrongPassphrases
    case pastPassphrases
    case resetRequest
    case enrollment
    case classes
    /// The decision to destroy all the others.
    case wipe

    /// Below the state directory, except for recovery records, which are in the workspace's
    /// `.mamd`.
    package var directory: String {
        switch self {
        case .recoveryRecord: "recovery"
        case .keybag: "keybags"
        case .wrongPassphrases: "attempts"
        case .pastPassphrases: "passphrases"
        case .resetRequest: "resets"
        case .enrollment: "enrollment"
        case .classes: "classes"
        case .wipe: "wipes"
        }
    }

    /// The component that reads, writes and destroys it.
    package var component: Component {
        switch self {
        case .recoveryRecord: .recovery
        case .keybag, .wrongPassphrases, .pastPassphrases, .resetRequest: .keyring
        case .enrollment: .enrollments
        case .classes: .classes
        case .wipe: .wipes
        }
    }

    /// In the order in which a wipe handles them.
    package enum Component: CaseIterable, Sendable {
        case recovery
        case keyring
        case enrollments
        case classes
        case wipes

        /// Class records are needed until the files are gone; the decision is removed last.
        package var stage: WipeStage {
            switch self {
            case .recovery, .keyring, .enrollments: .keys
            case .classes: .files
            case .wipes: .end
            }
        }
    }

    /// When a wipe destroys a component's files: before the account's own files, with them, or at
    /// the end.
    package enum WipeStage: Sendable {
        case keys
        case files
        case end
    }

    /// The file's name, or the common prefix if the account has several.
    package func name(_ account: AccountID) -> String { "\(account.bytes)" }

    /// True if `path`, relative to the state directory or `.mamd`, is the account's file of this
    /// kind.
    package func isAt(_ path: String, of account: AccountID) -> Bool {
        let whole = "\(directory)/\(name(account))"
        switch self {
        case .recoveryRecord, .keybag: return path.hasPrefix("\(whole).")
        case .wrongPassphrases, .pastPassphrases, .resetRequest, .enrollment, .classes, .wipe:
            return path == whole
        }
    }
}
