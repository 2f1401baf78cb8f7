// The words of enumerations.

package import MAMModel

/// A word of an enumeration; another one is `InvalidParameter`.
package protocol WireWord: WireValue, RawRepresentable<String>, CaseIterable {}

extension WireWord {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Self {
        try read(json, name) { $0.text.flatMap(Self.init(rawValue:)) }
    }

    package var json: JSONValue { .string(rawValue) }

    /// The same word of an enumeration of the daemon's own, which has no others: a test compares.
    package init(_ own: some RawRepresentable<String>) {
        guard let word = Self(rawValue: own.rawValue) else { preconditionFailure(own.rawValue) }
        self = word
    }
}

// MAMModel's own are the wire's: the same test compares them with the interface.
extension WindowState: WireWord {}
extension AccountBlock.Kind: WireWord {}
extension ProtectionState: WireWord {}
extension FileAct: WireWord {}

extension ProtectionClass: WireValue {
    package static func read(
        _ json: JSONValue?, _ name: String
    ) throws(VarlinkError) -> ProtectionClass {
        try read(json, name) { json in allCases.first { $0.letter == json.text } }
    }

    package var json: JSONValue { .string(letter) }
}
