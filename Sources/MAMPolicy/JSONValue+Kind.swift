// Descriptions of JSON values in messages.

package import MAMModel

extension JSONValue {
    /// The type of value, in words.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The value itself if short, else its type.
    var glance: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        case .string(let text) where text.utf8.count <= 40: "\"\(text)\""
        default: kind
        }
    }
}
