// Decodes the forms in which policies are exported.

internal import MAMModel

extension PolicyDocument {
    /// Decodes a file of documents: one object, a list of them, or either under the key `value` as
    /// Graph replies. Rejects the whole file if any part is invalid.
    package static func decode(
        _ bytes: [UInt8], file: String? = nil, acceptsLegacy: Bool = false
    ) throws(PolicyError) -> [PolicyDocument] {
        var documents: [PolicyDocument] = []
        for fields in try objects(in: JSONValue(document: bytes)) {
            var document = try PolicyDocument(fields, acceptsLegacy)
            document.file = file
            documents.append(document)
        }
        return documents
    }

    private init(_ fields: [String: JSONValue], _ acceptsLegacy: Bool) throws(PolicyError) {
        if LegacyPolicy.isOne(fields) {
            guard acceptsLegacy else { throw .legacy }
            self = try LegacyPolicy.document(fields)
            return
        }
        var errors: [PolicyError] = []
        self.init(fields, &errors)
        if let error = errors.first { throw error }
    }

    /// Decodes what it can, and collects all errors.
    init(_ fields: [String: JSONValue], _ errors: inout [PolicyError]) {
        self.init()
        var reader = Reader(fields)
        collect(&errors) { () throws(PolicyError) in try readKind(&reader, fields) }
        for field in RuleField.all {
            guard let value = reader.take(field.key) else { continue }
            collect(&errors) { () throws(PolicyError) in
                try field.read(value, &rules, &reader.warnings)
            }
        }
        for read in [readHead, readCustomSettings, readApps, readAssignments] {
            collect(&errors) { () throws(PolicyError) in try read(&self, &reader) }
        }
        if errors.isEmpty {
            collect(&errors) { () throws(PolicyError) in try requireContent(fields) }
        }
        for key in Self.informative { _ = reader.take(key) }
        warnings = reader.allWarnings()
    }

    /// Informative properties without rules.
    private static let informative = [
        "description", "createdDateTime", "lastModifiedDateTime", "roleScopeTagIds",
        "targetedAppManagementLevels", "deployedAppCount", "deploymentSummary",
    ]
}

/// Records an error and continues.
private func collect(
    _ errors: inout [PolicyError], _ read: () throws(PolicyError) -> Void
) {
    do throws(PolicyError) { try read() } catch { errors.append(error) }
}

// The parts of a document other than rules.

private func readHead(
    _ document: inout PolicyDocument, _ reader: inout Reader
) throws(PolicyError) {
    document.id = try reader.read("id", .text)
    document.displayName = try reader.read("displayName", .text)
    document.version = try reader.read("version", .text)
    document.isAssigned = try reader.read("isAssigned", .truth) ?? true
    if !document.isAssigned { reader.warnings.append(.notAssigned) }
}

private func readCustomSettings(
    _ document: inout PolicyDocument, _ reader: inout Reader
) throws(PolicyError) {
    document.customSettings = try reader.read("customSettings", .namedValues) ?? []
}

/// The programs that it covers; here a workspace counts as a program. `allApps` covers every one,
/// listed or not.
private func readApps(
    _ document: inout PolicyDocument, _ reader: inout Reader
) throws(PolicyError) {
    let coversAll = try reader.read("appGroupType", .text) == "allApps"
    let apps = try reader.read("apps", .objects) ?? []
    guard !coversAll, !apps.isEmpty else { return }
    let names = apps.compactMap { $0["mobileAppIdentifier"]?.object?["bundleId"]?.text }
    if names.count < apps.count {
        reader.warnings.append(.appsWithoutBundle(coversNothing: names.isEmpty))
    }
    document.workspaces = names
}

private func readAssignments(
    _ document: inout PolicyDocument, _ reader: inout Reader
) throws(PolicyError) {
    for entry in try reader.read("assignments", .objects) ?? [] {
        document.assignments.append(try Assignment(entry, &reader.warnings))
    }
}
