// The parameters of a call or reply, read by name and type.

package import MAMModel

/// The members of a JSON object. Reading a missing member, or one of another type, throws
/// `InvalidParameter`.
package struct Parameters: Sendable, Equatable {
    package let members: [String: JSONValue]

    package init(_ members: [String: JSONValue]) { self.members = members }

    /// Refuses names that are not listed: a misspelt option must not be ignored silently.
    package func allowOnly(_ names: [String]) throws(VarlinkError) {
        let unknown = members.keys.filter { !names.contains($0) }.min()
        if let unknown { throw .invalidParameter(unknown) }
    }

    /// True if the member exists and is not null.
    package func has(_ name: String) -> Bool { member(name) != nil }

    /// A required string.
    package func string(_ name: String) throws(VarlinkError) -> String {
        try required(name, optionalString(name))
    }

    /// A string; nil if it is missing or null.
    package func optionalString(_ name: String) throws(VarlinkError) -> String? {
        try typed(name, \.text)
    }

    /// A required integer.
    package func integer(_ name: String) throws(VarlinkError) -> Int {
        try required(name, optionalInteger(name))
    }

    /// An integer; nil if it is missing or null.
    package func optionalInteger(_ name: String) throws(VarlinkError) -> Int? {
        guard let value = try typed(name, \.integer) else { return nil }
        guard let integer = Int(exactly: value) else { throw .invalidParameter(name) }
        return integer
    }

    /// A required boolean.
    package func bool(_ name: String) throws(VarlinkError) -> Bool {
        try required(name, typed(name, \.bool))
    }

    /// A boolean; false if it is missing or null.
    package func flag(_ name: String) throws(VarlinkError) -> Bool {
        try typed(name, \.bool) ?? false
    }

    /// An absolute path without a zero byte; nil if it is missing or null.
    package func optionalPath(_ name: String) throws(VarlinkError) -> String? {
        guard let path = try optionalString(name) else { return nil }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw .invalidParameter(name)
        }
        return path
    }

    /// A required object.
    package func object(_ name: String) throws(VarlinkError) -> Parameters {
        Parameters(try required(name, typed(name, \.object)))
    }

    /// A required array of objects.
    package func objects(_ name: String) throws(VarlinkError) -> [Parameters] {
        var result: [Parameters] = []
        for element in try required(name, typed(name, \.array)) {
            guard let members = element.object else { throw .invalidParameter(name) }
            result.append(Parameters(members))
        }
        return result
    }

    /// A required array of strings.
    package func strings(_ name: String) throws(VarlinkError) -> [String] {
        var result: [String] = []
        for element in try required(name, typed(name, \.array)) {
            guard let text = element.text else { throw .invalidParameter(name) }
            result.append(text)
        }
        return result
    }

    func member(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func typed<Value>(
        _ name: String, _ read: (JSONValue) -> Value?
    ) throws(VarlinkError) -> Value? {
        guard let member = member(name) else { return nil }
        guard let value = read(member) else { throw .invalidParameter(name) }
        return value
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(VarlinkError) -> Value {
        guard let value else { throw .invalidParameter(name) }
        return value
    }
}
