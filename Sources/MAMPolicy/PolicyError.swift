// Why bytes are not a policy or settings document.

/// What is wrong with a document as a whole; nothing of it is used.
package enum PolicyError: Error, Equatable, Sendable {
    case notJSON
    /// More than so many.
    case tooManyValues(Int)
    /// It begins as XML does.
    case notAPropertyList
    /// The top is neither an object nor a list of objects; what was found.
    case notADocument(found: String)
    /// No document is in it.
    case empty
    /// Graph's reason for giving no document; its code, if it has one.
    case graphError(String?)
    /// A list that goes on elsewhere.
    case firstPage
    /// An object in which nothing is asked.
    case noRules
    /// No protection where there was one.
    case onlyConfigurations
    /// An `@odata.type` that is no app protection policy.
    case otherType(String)
    /// A flat policy for trials, where none is accepted.
    case legacy
    /// A value of the wrong type or range.
    case value(key: String, expected: String)
}

extension PolicyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON: "it is not JSON"
        case .tooManyValues(let count): "it has more than \(count) values"
        case .notAPropertyList: "it is not an XML property list"
        case .notADocument(let found): "expected an object, found \(found)"
        case .empty: "it holds no document"
        case .graphError(let code):
            "it is an error of Microsoft Graph\(code.map { ", \($0)," } ?? ""), not a policy"
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
        case .value(let key, let expected): "\(key) must be \(expected)"
        }
    }
}
