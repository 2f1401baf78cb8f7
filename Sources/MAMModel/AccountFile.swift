// What belongs to an account on disk: the one list.

/// One kind of file that the daemon keeps for an account.
///
/// A wipe destroys all of them, by what keeps them. Deregistering with the keys kept leaves all of
/// them, and so does another object id: they are named by the account's id. An export is made of
/// the keybag, and an import refuses an id that has a keybag or a wipe. Beside these there are
/// files about many accounts, which stay: `enrollment/workspace`, `enrollment/departed` with names,
/// and the audit trail.
package enum AccountFile: CaseIterable, Sendable {
    /// One for each recovery key.
    case recoveryRecord
    /// Two copies.
    case keybag
    case wrongPassphrases
    case pastPassphrases
    case enrollment
    case classes
    /// The decision to destroy all others.
    case wipe

    /// In the state directory, but for recovery records: these are in the workspace's own
    /// directory, `.mamd`.
    package var directory: String {
        switch self {
        case .recoveryRecord: "recovery"
        case .keybag: "keybags"
        case .wrongPassphrases: "attempts"
        case .pastPassphrases: "passphrases"
        case .enrollment: "enrollment"
        case .classes: "classes"
        case .wipe: "wipes"
        }
    }

    /// What reads and writes it, and destroys it.
    package var keeper: Keeper {
        switch self {
        case .recoveryRecord: .recovery
        case .keybag, .wrongPassphrases, .pastPassphrases: .keyring
        case .enrollment: .enrollments
        case .classes: .classes
        case .wipe: .wipes
        }
    }

    /// In the order in which a wipe comes to them.
    package enum Keeper: CaseIterable, Sendable {
        case recovery
        case keyring
        case enrollments
        case classes
        case wipes

        /// Classes are recorded until the files are gone; the decision goes last of all.
        package var stage: WipeStage {
            switch self {
            case .recovery, .keyring, .enrollments: .keys
            case .classes: .files
            case .wipes: .end
            }
        }
    }

    /// When a wipe destroys what a keeper has: before the account's files go, with them, or at its
    /// end.
    package enum WipeStage: Sendable {
        case keys
        case files
        case end
    }

    /// The account's file, or the beginning of the names of several.
    package func name(_ account: AccountID) -> String { "\(account.bytes)" }

    /// True for the account's file of this kind. `path`: from the state directory, or `.mamd`.
    package func isAt(_ path: String, of account: AccountID) -> Bool {
        let whole = "\(directory)/\(name(account))"
        switch self {
        case .recoveryRecord, .keybag: return path.hasPrefix("\(whole).")
        case .wrongPassphrases, .pastPassphrases, .enrollment, .classes, .wipe:
            return path == whole
        }
    }
}
