// The accounts that the tables are about.

import MAMModel
import MAMPolicy

/// A policy with some rules.
func policy(_ configure: (inout PolicyRules) -> Void = { _ in }) -> EffectivePolicy {
    var document = PolicyDocument()
    configure(&document.rules)
    return .merge([document])
}

/// The account whose policy a table varies.
func ann(_ configure: (inout PolicyRules) -> Void = { _ in }) throws -> Principal {
    .managed(try Identity(name: "ann@contoso.com", objectID: "A-1"), policy(configure))
}

/// Another managed account, with the same level in both directions.
func bob(_ level: DataTransfers) throws -> Principal {
    let policy = policy {
        $0.allowedOutboundDataTransferDestinations = level
        $0.allowedInboundDataTransferSources = level
    }
    return .managed(try Identity(name: "bob@contoso.com"), policy)
}

/// A person's own account.
func carol() throws -> Principal { .unmanaged(try Identity(name: "carol@home.example")) }

/// `y` and `n` as in the tables.
func letters(_ answers: [Bool]) -> String { String(answers.map { $0 ? "y" : "n" }) }

func letters(_ decisions: [Decision]) -> String {
    letters(decisions.map(\.isAllowed))
}

extension Principal {
    /// What the vault asks when a process that works for `reader` opens a file of this account.
    func isReadable(by reader: Principal) -> Bool {
        !isManaged
            || EffectivePolicy.letsRead(
                asOwner: isSameAccount(as: reader), sendsToAll: policy.sendsToAll)
    }
}
