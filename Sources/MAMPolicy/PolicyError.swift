// Why bytes are not a valid policy or settings document.

package import MAMModel

/// A fatal error: nothing of the document is used.
package enum PolicyError: Error, Equatable, Sendable {
    case notJSON
    /// More than this limit.
    case tooManyValues(Int)
    /// It begins like XML, but is no property list.
    case notAPropertyList
    /// It begins like a binary one, but is none, or unfolds to too much.
    case notABinaryPropertyList
    /// The top value is neither an object nor a list of objects.
    case notADocument(found: String)
    /// It contains no document.
    case empty
    /// An error reply from Graph; its code, if it has one.
    case graphError(String?)
    /// A page of a list that continues elsewhere.
    case firstPage
    /// An object without rules.
    case noRules
    /// It contains only configurations.
    case onlyConfigurations
    /// An `@odata.type` other than an app protection policy's.
    case otherType(String)
    /// A flat policy for trials, where they are not accepted.
    case legacy
    /// A key of one object; the line of its second place, where lines are known.
    case twice(key: String, line: Int?)
    /// A value of the wrong type or range.
    case value(key: String, expected: String)
    /// Not one of the settings that an organisation may ask for; `guess` ends the message.
    case notAsked(key: String, guess: String)
}

extension PolicyError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .notJSON: "it is not JSON"
        case .tooManyValues(let count): "it has more than \(count) values"
        case .notAPropertyList: "it is not an XML property list"
        case .notABinaryPropertyList: "it is damaged or too large for a binary property list"
        case .notADocument(let found): "expected an object, found \(found)"
        case .empty: "it holds no document"
        case .graphError(let code):
            code.map { "it is an error of Microsoft Graph, \($0), not a policy" }
                ?? "it is an error of Microsoft Graph, not a policy"
        case .firstPage:
            "it is one page of a list: add the rest and remove @odata.nextLink"
        case .noRules:
            "it has neither rules nor customSettings: remove the file if that is intended"
        case .onlyConfigurations:
            "it has only configurations but had a protection: remove the file to withdraw that"
        case .otherType(let type): "\(type) is not an app protection policy or app configuration"
        case .legacy:
            "it is a flat policy for testing, "
                + "which needs the setting DebugSettingsEnabled"
        case .twice(let key, let line?):
            "\(key) is twice in one object, again in line \(line): keep one of them"
        case .twice(let key, nil): "\(key) is twice in one object: keep one of them"
        case .value(let key, let expected): "\(key) must be \(expected)"
        case .notAsked(let key, let guess):
            "\(key) is no setting that an organisation asks for\(guess)"
        }
    }
}
