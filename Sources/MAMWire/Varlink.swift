// The protocols that the generated types conform to, and how they are read and written.

package import MAMModel

/// The interfaces, generated from docs/io.mamd.*.varlink.
package enum Varlink {}

/// A value in a JSON object.
package protocol WireValue: Sendable {
    /// `json`: nil if the member is missing or null. Throws `InvalidParameter` with `name` if a
    /// required member is missing, or of another type.
    static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Self

    var json: JSONValue { get }
}

/// The parameters of a reply.
package protocol VarlinkReply {
    var members: [String: JSONValue] { get }
}

extension [String: JSONValue]: VarlinkReply {
    package var members: [String: JSONValue] { self }
}

/// A struct type of an interface, or the parameters of a call, reply or error.
package protocol WireObject: WireValue, VarlinkReply {
    static var codec: Codec<Self> { get }
}

/// The parameters of a method's call.
package protocol VarlinkRequest: WireObject {
    associatedtype Reply: WireObject = NoMembers
}

/// An error of an interface.
package protocol VarlinkFailure: WireObject {}

/// A call or reply without parameters.
package protocol WithoutMembers: WireObject {
    init()
}

extension WithoutMembers {
    package static var codec: Codec<Self> { Codec([], Self.init) { _ in [] } }
}

/// A reply without parameters.
package struct NoMembers: WithoutMembers {
    package init() {}
}

extension WireObject {
    package init(_ parameters: Parameters) throws(VarlinkError) {
        self = try Self.codec.read(parameters)
    }

    /// Nil values are null.
    package var members: [String: JSONValue] { Self.codec.members(self) }

    /// The full name of the method or error, with the interface's: that of its type.
    package static var fullName: String {
        "io.mamd" + String(reflecting: Self.self).dropFirst("MAMWire.Varlink".count)
    }

    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Self {
        try Self(Parameters(try read(json, name, \.object)))
    }

    package var json: JSONValue { .object(members) }

    /// For calls, as an older daemon refuses unknown members, and for replies that have one of
    /// several optional members.
    package var withoutNulls: [String: JSONValue] { members.filter { $0.value != .null } }
}

extension WireValue {
    static func read<Value>(
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

/// Varlink's `object`: any JSON value.
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
extension GuessConsequence: WireWord {}

extension ProtectionClass: WireValue {
    package static func read(
        _ json: JSONValue?, _ name: String
    ) throws(VarlinkError) -> ProtectionClass {
        try read(json, name) { json in allCases.first { $0.letter == json.text } }
    }

    package var json: JSONValue { .string(letter) }
}

/// The members of a type, in the order of its parts.
package struct Codec<Whole>: Sendable {
    package let names: [String]
    let read: @Sendable (Parameters) throws(VarlinkError) -> Whole
    let members: @Sendable (Whole) -> [String: JSONValue]

    /// `whole`: makes it of its parts. `parts`: their values. Specialised for each of the 200 types
    /// reading would be a large part of the programs, and of the time to build them.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package init<each Part: WireValue>(
        _ names: [String],
        _ whole: @escaping @Sendable (repeat each Part) -> Whole,
        _ parts: @escaping @Sendable (Whole) -> [JSONValue]
    ) {
        self.names = names
        read = { (parameters) throws(VarlinkError) -> Whole in
            var rest = names[...]
            func next<Value: WireValue>(_ type: Value.Type) throws(VarlinkError) -> Value {
                try parameters.value(rest.removeFirst())
            }
            return whole(repeat try next((each Part).self))
        }
        members = { Dictionary(uniqueKeysWithValues: zip(names, parts($0))) }
    }
}
