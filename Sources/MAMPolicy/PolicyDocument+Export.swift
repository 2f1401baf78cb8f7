// The policies of an export one by one, and the groups that each is for.

package import MAMModel

/// One policy of a file that Graph exported.
package struct ExportedPolicy: Sendable, Equatable {
    /// As JSON: the file itself, if it has this policy alone.
    package let content: [UInt8]
    package let id: String?
    package let displayName: String?
    /// It covers the accounts of these; empty: not by groups.
    package let groups: [String]
    /// It does not cover the accounts of these.
    package let excludedGroups: [String]
    /// Whether it covers everybody, but for the excluded.
    package let isForEveryone: Bool

    /// Refuses what a machine would refuse.
    package static func all(in bytes: [UInt8]) throws(PolicyError) -> [ExportedPolicy] {
        let bytes = documentText(bytes)
        let documents = try PolicyDocument.decode(bytes)
        let objects = try PolicyDocument.objects(in: JSONValue(document: bytes))
        return zip(documents, objects).map { document, fields in
            ExportedPolicy(
                document,
                content: documents.count == 1
                    ? bytes : JSONValue.object(fields).encoded(pretty: true) + [0x0A])
        }
    }

    private init(_ document: PolicyDocument, content: [UInt8]) {
        self.content = content
        (id, displayName) = (document.id, document.displayName)
        var (included, excluded): ([String], [String]) = ([], [])
        var isForEveryone = document.assignments.isEmpty
        for assignment in document.assignments {
            switch assignment {
            case .everyone, .unknown: isForEveryone = true
            case .group(let group): included.append(group)
            case .allBut(let group): excluded.append(group)
            case .account: isForEveryone = true
            }
        }
        // Exclusions alone leave everybody else.
        self.isForEveryone = isForEveryone || included.isEmpty
        (groups, excludedGroups) = (included, excluded)
    }
}

/// The members of each policy of a file as they stand there; nil for what is no file of policies.
package func policyMembers(in bytes: [UInt8]) -> [[String: JSONValue]]? {
    try? PolicyDocument.objects(in: JSONValue(document: bytes))
}
