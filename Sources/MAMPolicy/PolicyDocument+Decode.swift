// The shapes in which exports come.

internal import MAMModel

extension PolicyDocument {
    /// Reads a file of policies: one object, a list of them, or either under the key `value` as the Graph
    /// service answers. Everything in it must be a policy, or none is taken.
    package static func decode(_ bytes: [UInt8]) throws(PolicyError) -> [PolicyDocument] {
        guard let json = (try? JSONValue(parsing: bytes)) else { throw .notJSON }
        let objects = try unpack(json)
        guard !objects.isEmpty else { throw .empty }
        var documents: [PolicyDocument] = []
        for object in objects { documents.append(try PolicyDocument(object)) }
        return documents
    }

    private static func unpack(_ json: JSONValue) throws(PolicyError) -> [[String: JSONValue]] {
        guard case .object(let fields) = json, let value = fields["value"] else {
            return try list(json)
        }
        return try list(value)
    }

    private static func list(_ json: JSONValue) throws(PolicyError) -> [[String: JSONValue]] {
        switch json {
        case .object(let fields): return [fields]
        case .array(let items):
            var objects: [[String: JSONValue]] = []
            for item in items {
                guard case .object(let fields) = item else {
                    throw .notADocument(found: item.kind)
                }
                objects.append(fields)
            }
            return objects
        default: throw .notADocument(found: json.kind)
        }
    }

    private init(_ fields: [String: JSONValue]) throws(PolicyError) {
        var reader = Reader(fields)
        try Self.checkType(try reader.read("@odata.type", .text))
        self.init()
        id = try reader.read("id", .text)
        displayName = try reader.read("displayName", .text)
        version = try reader.read("version", .text)
        rules.appDataEncryptionType = try reader.read("appDataEncryptionType", .choice)
        rules.allowedOutboundDataTransferDestinations = try reader.read(
            "allowedOutboundDataTransferDestinations", .choice)
        rules.allowedInboundDataTransferSources = try reader.read(
            "allowedInboundDataTransferSources", .choice)
        warnings = reader.allWarnings()
    }

    /// Without a type it is taken for a policy: templates often lack one.
    private static func checkType(_ type: String?) throws(PolicyError) {
        let accepted = [
            "#microsoft.graph.iosManagedAppProtection",
            "#microsoft.graph.targetedManagedAppProtection",
            "#microsoft.graph.managedAppProtection",
            "#microsoft.graph.defaultManagedAppProtection",
        ]
        guard let type, !accepted.contains(type) else { return }
        throw .otherType(type)
    }
}
