// How a policy differs from the one that it replaces, member by member.

package import MAMModel
package import MAMPolicy

/// One member of a policy that is new, gone or changed. Null counts as missing: Graph writes it for
/// what is not configured.
package struct FieldDifference: Sendable, Equatable {
    /// The member of the policy, such as a property of Graph's.
    package let key: String
    /// ``key``, and the way from there.
    package let path: String
    package let former: JSONValue?
    package let new: JSONValue?

    /// Nil for what is no rule, such as a name.
    package var force: RuleForce? { RuleForce(of: key) }

    /// For people, in one line.
    package var text: String { "\(path): \(Self.shown(former)) → \(Self.shown(new))" }

    /// The same of a new policy.
    package var newText: String { "\(path): \(Self.shown(new))" }

    private static func shown(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "nothing" }
        if let text = value.text { return text.isEmpty ? "\"\"" : text }
        guard let items = value.array, items.allSatisfy({ $0.object == nil && $0.array == nil })
        else { return String(decoding: value.encoded(), as: UTF8.self) }
        return "[\(items.map { shown($0) }.joined(separator: ", "))]"
    }
}

/// All differences, in the order of their paths. `former`, `new`: files of policies as Graph
/// exports them, also as an answer's `value`; empty where there is none.
package func differences(_ former: [UInt8], _ new: [UInt8]) -> [FieldDifference] {
    let (one, other) = (policies(former), policies(new))
    let isSingle = one.count <= 1 && other.count <= 1
    if isSingle { return differences(one.values.first, other.values.first, [], at: "") }
    return Set(one.keys).union(other.keys).sorted().flatMap {
        differences(one[$0], other[$0], [], at: $0)
    }
}

/// By id, else by place: lists are exported in any order.
private func policies(_ bytes: [UInt8]) -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    for (index, members) in (policyMembers(in: bytes) ?? []).enumerated() {
        found[members["id"]?.text ?? "\(index + 1)"] = .object(members)
    }
    return found
}

private func differences(
    _ one: JSONValue?, _ other: JSONValue?, _ way: [String], at name: String
) -> [FieldDifference] {
    let (mine, theirs) = (one == .null ? nil : one, other == .null ? nil : other)
    if mine == theirs { return [] }
    if let former = (mine ?? [:]).object, let new = (theirs ?? [:]).object {
        return Set(former.keys).union(new.keys).sorted().flatMap {
            differences(former[$0], new[$0], way + [$0], at: name)
        }
    }
    let path = (name.isEmpty ? way : [name] + way).joined(separator: ".")
    let difference = { (one: JSONValue?, other: JSONValue?) in
        FieldDifference(key: way.first ?? "", path: path, former: one, new: other)
    }
    guard let former = (mine ?? []).objects, let new = (theirs ?? []).objects,
        !former.isEmpty || !new.isEmpty
    else { return [difference(mine, theirs)] }
    return elements(former, missingIn: new).map { difference($0, nil) }
        + elements(new, missingIn: former).map { difference(nil, $0) }
}

/// Of those that are there several times as many as there are more.
private func elements(_ some: [JSONValue], missingIn others: [JSONValue]) -> [JSONValue] {
    var rest = others
    return some.filter { element in
        guard let index = rest.firstIndex(of: element) else { return true }
        rest.remove(at: index)
        return false
    }
}

extension JSONValue {
    /// Nil unless it is a list of objects, such as `apps`.
    fileprivate var objects: [JSONValue]? {
        array.flatMap { items in items.allSatisfy { $0.object != nil } ? items : nil }
    }
}
