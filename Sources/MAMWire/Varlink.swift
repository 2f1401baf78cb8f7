// What the generated types of our interfaces are made of.

package import MAMModel

/// The interfaces, each as docs/io.mamd.*.varlink describes it.
package enum Varlink {}

/// A member of a JSON object.
package protocol WireValue: Sendable, Equatable {
    /// `json`: nil where the member is missing or null. Throws `InvalidParameter` with `name` for
    /// what is missing or of another type.
    static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Self

    var json: JSONValue { get }
}

/// What a call is answered with.
package protocol VarlinkReply {
    var members: [String: JSONValue] { get }
}

extension [String: JSONValue]: VarlinkReply {
    package var members: [String: JSONValue] { self }
}

/// A type of an interface, a call's parameters or a reply's.
package protocol WireObject: WireValue, VarlinkReply {
    init(_ wire: Parameters) throws(VarlinkError)

    /// What is nil stands as null.
    var members: [String: JSONValue] { get }
}

/// A call. Its type is the method's.
package protocol VarlinkRequest: WireObject {
    associatedtype Reply: WireObject

    /// With the interface's name.
    static var method: String { get }
    static var memberNames: Set<String> { get }
}

/// An error of an interface.
package protocol VarlinkFailure: WireObject {
    /// With the interface's name.
    static var errorName: String { get }
}

/// What has no parameters.
package protocol WithoutMembers: WireObject {
    init()
}

extension WithoutMembers {
    package init(_ wire: Parameters) { self.init() }

    package var members: [String: JSONValue] { [:] }
}

/// The reply of a method that has nothing to tell.
package struct NoMembers: WithoutMembers {
    package init() {}
}

extension WireObject {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Self {
        try Self(Parameters(try read(json, name, \.object)))
    }

    package var json: JSONValue { .object(members) }

    /// For a call, and for one of several replies, which has one member of several.
    package var withoutNulls: [String: JSONValue] { members.filter { $0.value != .null } }
}

extension WireValue {
    fileprivate static func read<Value>(
        _ json: JSONValue?, _ name: String, _ part: (JSONValue) -> Value?
    ) throws(VarlinkError) -> Value {
        guard let value = json.flatMap(part) else { throw .invalidParameter(name) }
        return value
    }
}

extension String: WireValue {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> String {
        try read(json, name, \.text)
    }

    package var json: JSONValue { .string(self) }
}

extension Int: WireValue {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Int {
        try read(json, name) { $0.integer.flatMap { Int(exactly: $0) } }
    }

    package var json: JSONValue { JSONValue(self) }
}

extension Bool: WireValue {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Bool {
        try read(json, name, \.bool)
    }

    package var json: JSONValue { .bool(self) }
}

/// Varlink's `object`: whatever it is.
extension JSONValue: WireValue {
    package static func read(
        _ json: JSONValue?, _ name: String
    ) throws(VarlinkError) -> JSONValue {
        try read(json, name) { $0 }
    }

    package var json: JSONValue { self }
}

extension Array: WireValue where Element: WireValue {
    package static func read(
        _ json: JSONValue?, _ name: String
    ) throws(VarlinkError) -> [Element] {
        var elements: [Element] = []
        for element in try read(json, name, \.array) {
            elements.append(try Element.read(element, name))
        }
        return elements
    }

    package var json: JSONValue { .array(map(\.json)) }
}

extension Optional: WireValue where Wrapped: WireValue {
    package static func read(
        _ json: JSONValue?, _ name: String
    ) throws(VarlinkError) -> Wrapped? {
        guard let json else { return nil }
        return try Wrapped.read(json, name)
    }

    package var json: JSONValue { self?.json ?? .null }
}

extension Parameters {
    package func value<Value: WireValue>(_ name: String) throws(VarlinkError) -> Value {
        try Value.read(member(name), name)
    }
}
