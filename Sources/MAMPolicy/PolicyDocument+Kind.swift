// The type of document that an object is. An object that is no policy must not count as one without
// rules: that would lift the restrictions that its file had before.

internal import MAMModel

extension PolicyDocument {
    /// By its type. Templates often lack one; such an object is a configuration if all its keys are
    /// a configuration's.
    mutating func readKind(
        _ reader: inout Reader, _ fields: [String: JSONValue]
    ) throws(PolicyError) {
        let isMarked = try reader.read("__IsDefault", .truth) ?? false
        let type = try reader.read("@odata.type", .text)
        if let known = try type.map(Self.known) {
            kind = known.kind
            isDefault = known.isDefault || isMarked
            if let type, Self.ofOtherSystems.contains(type) {
                isOfOtherSystem = true
                reader.warnings.append(.otherSystem(type))
            }
        } else {
            let hasRules = RuleField.all.contains { fields[$0.key] != nil }
            kind = states("customSettings", fields) && !hasRules ? .configuration : .protection
            isDefault = isMarked
        }
    }

    /// Called after everything is read.
    func requireContent(_ fields: [String: JSONValue]) throws(PolicyError) {
        let isConfiguration = kind == .configuration && states("customSettings", fields)
        guard rules != PolicyRules() || !customSettings.isEmpty || isConfiguration else {
            throw .noRules
        }
    }

    private static func known(
        _ type: String
    ) throws(PolicyError) -> (kind: Kind, isDefault: Bool) {
        if ofOtherSystems.contains(type) { return (.protection, false) }
        guard let known = types[type] else { throw .otherType(type) }
        return known
    }

    /// These share many properties with iOS's, with the same meaning.
    private static let ofOtherSystems: Set<String> = [
        "#microsoft.graph.androidManagedAppProtection",
        "#microsoft.graph.windowsManagedAppProtection",
        "#microsoft.graph.mdmWindowsInformationProtectionPolicy",
        "#microsoft.graph.windowsInformationProtectionPolicy",
    ]

    private static let types: [String: (kind: Kind, isDefault: Bool)] = [
        "#microsoft.graph.iosManagedAppProtection": (.protection, false),
        "#microsoft.graph.targetedManagedAppProtection": (.protection, false),
        "#microsoft.graph.managedAppProtection": (.protection, false),
        "#microsoft.graph.defaultManagedAppProtection": (.protection, true),
        "#microsoft.graph.targetedManagedAppConfiguration": (.configuration, false),
        "#microsoft.graph.managedAppConfiguration": (.configuration, false),
    ]

    private func states(_ key: String, _ fields: [String: JSONValue]) -> Bool {
        fields[key] ?? .null != .null
    }
}

extension PolicyDocument {
    /// The objects of a file. If the context URL of a list gives their type, they have none of
    /// their own.
    static func objects(in json: JSONValue) throws(PolicyError) -> [[String: JSONValue]] {
        try requireAnswer(json)
        let content = json.object?["value"] ?? json
        let items: [JSONValue] =
            switch content {
            case .object: [content]
            case .array(let items): items
            default: throw .notADocument(found: content.kind)
            }
        guard !items.isEmpty else { throw .empty }
        let type = json.object?["@odata.context"]?.text.flatMap(listedType)
        var objects: [[String: JSONValue]] = []
        for item in items {
            guard var fields = item.object else { throw .notADocument(found: item.kind) }
            try requireWhole(fields)
            if let type, fields["@odata.type"] == nil { fields["@odata.type"] = .string(type) }
            objects.append(fields)
        }
        return objects
    }

    /// An error reply from Graph is no document.
    private static func requireAnswer(_ json: JSONValue) throws(PolicyError) {
        guard let members = json.object else { return }
        if let error = members["error"]?.object { throw .graphError(error["code"]?.glance) }
        try requireWhole(members)
    }

    /// The rest of a paged list may have more rules; the rest of a document's own lists may cover
    /// other accounts.
    private static func requireWhole(_ members: [String: JSONValue]) throws(PolicyError) {
        let isCut = members.contains { $0.hasSuffix("@odata.nextLink") && $1 != .null }
        if isCut { throw .firstPage }
    }

    /// Lists whose members each have a type.
    private static let mixedLists = ["managedAppPolicies", "Collection"]

    /// `…/$metadata#deviceAppManagement/iosManagedAppProtections(apps())/$entity` has objects of
    /// the type `#microsoft.graph.iosManagedAppProtection`.
    private static func listedType(_ address: String) -> String? {
        guard let start = address.firstIndex(of: "#") else { return nil }
        let path = address[address.index(after: start)...].prefix { $0 != "(" }
        let parts = path.split(separator: "/").filter { $0 != "$entity" }
        guard let list = parts.last.map(String.init), !mixedLists.contains(list)
        else { return nil }
        if list.hasPrefix("microsoft.graph.") { return "#\(list)" }
        let name = list.hasSuffix("ies") ? "\(list.dropLast(3))y" : list
        return "#microsoft.graph.\(name.hasSuffix("s") ? String(name.dropLast()) : name)"
    }
}
