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

    package func value<Value: WireValue>(_ name: String) throws(VarlinkError) -> Value {
        try Value.read(member(name), name)
    }

    package func string(_ name: String) throws(VarlinkError) -> String { try value(name) }

    package func integer(_ name: String) throws(VarlinkError) -> Int { try value(name) }

    package func object(_ name: String) throws(VarlinkError) -> Parameters { try value(name) }

    /// False if it is missing or null.
    package func flag(_ name: String) throws(VarlinkError) -> Bool {
        let flag: Bool? = try value(name)
        return flag ?? false
    }

    /// An absolute path without a zero byte; nil if it is missing or null.
    package func optionalPath(_ name: String) throws(VarlinkError) -> String? {
        let path: String? = try value(name)
        guard let path else { return nil }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw .invalidParameter(name)
        }
        return path
    }

    func member(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }
}

extension Parameters: WireValue {
    package static func read(_ json: JSONValue?, _ name: String) throws(VarlinkError) -> Parameters
    {
        Parameters(try read(json, name, \.object))
    }

    package var json: JSONValue { .object(members) }
}
