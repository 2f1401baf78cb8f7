// How a struct is read from a JSON object, and written as one.

internal import MAMModel

/// The members of a type, in the order of its parts.
package struct Codec<Whole>: Sendable {
    package let names: [String]
    let read: @Sendable (Parameters) throws(VarlinkError) -> Whole
    let members: @Sendable (Whole) -> [String: JSONValue]

    /// `whole`: makes it of its parts. Specialised for each of the 200 types this would be a large
    /// part of the programs, and of the time to build them.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package init<each Part: WireValue>(
        _ whole: @escaping @Sendable (repeat each Part) -> Whole,
        _ parts: repeat (name: String, path: any KeyPath<Whole, each Part> & Sendable)
    ) {
        var names: [String] = []
        var values: [@Sendable (Whole) -> JSONValue] = []
        for part in repeat each parts {
            names.append(part.name)
            values.append(Self.value(at: part.path))
        }
        self.names = names
        read = { [names] (parameters) throws(VarlinkError) -> Whole in
            var rest = names[...]
            func next<Value: WireValue>(_ type: Value.Type) throws(VarlinkError) -> Value {
                try parameters.value(rest.removeFirst())
            }
            return whole(repeat try next((each Part).self))
        }
        members = { [names, values] whole in
            Dictionary(uniqueKeysWithValues: zip(names, values.map { $0(whole) }))
        }
    }

    private static func value<Part: WireValue>(
        at path: any KeyPath<Whole, Part> & Sendable
    ) -> @Sendable (Whole) -> JSONValue {
        { $0[keyPath: path].json }
    }
}
