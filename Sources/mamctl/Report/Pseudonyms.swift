// Pseudonyms for names in a bundle that is sent to support.

internal import MAMModel
internal import MAMSystem

/// One thing has the same pseudonym throughout a bundle.
final class Pseudonyms {
    /// What a pseudonym replaces.
    enum Kind: String {
        case account, path, document, workspace, program
    }

    private var known: [String: String] = [:]
    private var counts: [Kind: Int] = [:]
    let showsNames: Bool

    init(showsNames: Bool) { self.showsNames = showsNames }

    func name(_ kind: Kind, _ text: String) -> String {
        // Empty names need no pseudonym. Accounts' names ignore case.
        guard !showsNames, !text.isEmpty, text != "?" else { return text }
        let key = "\(kind.rawValue) \(kind == .account ? text.caseFolded : text)"
        if let found = known[key] { return found }
        counts[kind, default: 0] += 1
        let new = "\(kind.rawValue)-\(counts[kind] ?? 0)"
        known[key] = new
        return new
    }

    /// Assigns one pseudonym to all names of an account.
    func learn(_ account: String, alsoCalled others: [String]) {
        let new = name(.account, account)
        guard !showsNames else { return }
        for other in others where !other.isEmpty {
            known["\(Kind.account.rawValue) \(other.caseFolded)"] = new
        }
    }

    func name(_ kind: Kind, _ value: JSONValue?) -> JSONValue {
        JSONValue(value?.text.map { name(kind, $0) })
    }
}

/// The value of a setting or rule without free text: numbers, booleans, and strings of a known
/// form.
func shownValue(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null, .bool, .integer, .number: value
    case .string(let text): .string(isHarmless(text) ? text : "…")
    case .array(let values): .string("\(values.count) values")
    case .object(let members): .string("\(members.count) members")
    }
}

/// The settings, with nested objects only if their keys are fixed.
func shownSettings(_ members: [String: JSONValue]) -> JSONValue {
    .object(
        Dictionary(
            uniqueKeysWithValues: members.map { key, value in
                let inner = groupsOfSettings.contains(key) ? value.object : nil
                return (key, inner.map { .object($0.mapValues(shownValue)) } ?? shownValue(value))
            }))
}

private let groupsOfSettings: Set<String> = ["Hooks", "KeyDerivation", "LockOn", "Probes"]

/// A word of a fixed list, a version or a duration: `managedApps`, `17.4`, `PT30M`.
private func isHarmless(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count <= 40 else { return false }
    let isVersion = bytes.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
    return isVersion || fixedWords.contains(text) || PolicyWords.isDuration(text)
}

private enum PolicyWords {
    static func isDuration(_ text: String) -> Bool {
        text.hasPrefix("P")
            && text.dropFirst().utf8.allSatisfy { "DHMSTW.0123456789".utf8.contains($0) }
    }
}

/// The words that are values of settings and rules.
private let fixedWords: Set<String> = [
    "now", "never", "grace", "none", "low", "medium", "high", "unmanaged", "secured",
    "notConfigured",
    "allApps", "managedApps", "managedAppsWithPasteIn", "blocked", "block", "allow", "warn", "wipe",
    "allowed", "anyApp", "anyManagedApp", "specificApps", "useDeviceSettings", "afterDeviceRestart",
    "whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "numeric", "alphanumericAndSymbol",
    "blockOrganizationalData", "mandatory", "required", "any", "microsoftEdge",
    "NSFileProtectionNone",
    "NSFileProtectionComplete", "NSFileProtectionCompleteUnlessOpen",
    "NSFileProtectionCompleteUntilFirstUserAuthentication",
]
