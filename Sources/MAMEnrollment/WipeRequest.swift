// An administrator's orders to wipe accounts, and those already obeyed.

package import MAMModel

/// `{"@odata.type": "#mamd.wipeRequest", "id": …, "account": UPN or object id}`.
package struct WipeRequest: Sendable, Equatable {
    package static let type = "#mamd.wipeRequest"

    /// Each is obeyed once.
    package let id: String
    package let account: String

    package init(id: String, account: String) {
        self.id = id
        self.account = account
    }

    /// Nil for anything else, and without an id or an account.
    package init?(_ json: JSONValue) {
        guard let members = json.object, members["@odata.type"]?.text == Self.type,
            let id = members["id"]?.text, (1...256).contains(id.utf8.count),
            let account = members["account"]?.text, !account.isEmpty
        else { return nil }
        self.init(id: id, account: account)
    }
}

/// The ids of obeyed orders, and their ages in seconds. Kept while the document may still be read,
/// and at least four days longer.
package struct ObeyedRequests: Sendable, Equatable {
    private var ages: [String: Int64] = [:]

    private static let keptSeconds: Int64 = 4 * 86_400

    package init() {}

    package func contains(_ id: String) -> Bool { ages[id] != nil }

    /// Resets the age each time the document is read.
    package mutating func note(_ id: String) { ages[id] = 0 }

    package mutating func forget(_ id: String) { ages[id] = nil }

    /// Time without a look at the directory, as in sleep, counts as a day at most: documents may be
    /// read right after.
    package mutating func pass(_ seconds: Int64) {
        let seconds = min(seconds, 86_400)
        for id in ages.keys { ages[id]?.add(saturating: seconds) }
        ages = ages.filter { $0.value <= Self.keptSeconds }
    }

    package var json: JSONValue { .object(ages.mapValues { .integer($0) }) }

    package init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        for (id, age) in members {
            guard let age = age.integer, age >= 0 else { return nil }
            ages[id] = age
        }
    }
}
