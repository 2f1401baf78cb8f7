// What messages about documents say of the values in them.

package import MAMModel

extension JSONValue {
    /// The kind of value, in words.
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

    /// The value itself where that is short, else its kind.
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
