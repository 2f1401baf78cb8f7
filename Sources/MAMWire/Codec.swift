// How a struct is read from a JSON object, and written as one.

package import MAMModel

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
