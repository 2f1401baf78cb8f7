// The documents over the socket: which are in force, what is wrong with one, and a new one.

internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// The policies themselves.
struct PolicyDocuments: PolicyService {
    let tree: Tree
    /// Puts a document under a name into the policy directory, and into force; returns why it could
    /// not.
    let store: @Sendable (_ document: [UInt8], _ name: String) -> Errno?

    func show(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account", "accounts"])
        let principal = try principals(call)
        var reply = principal.policy.json.object ?? [:]
        reply["account"] = .string(principal.identity.name)
        reply["managed"] = .bool(principal.isManaged)
        // Which documents there are is the administrator's business.
        let isTrusted = isTrusted(call.peer)
        let refused = isTrusted ? vault.refusedDocuments : []
        reply["refused"] = refused.map { Varlink.Policy.RefusedDocument($0) }.json
        let warnings = isTrusted ? vault.settings.warnings + vault.policies.warnings : []
        reply["warnings"] = .array(warnings.map { .string($0.description) })
        return reply
    }

    func check(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["document"])
        let bytes = Array(try call.parameters.string("document").utf8)
        let isTrusted = isTrusted(call.peer)
        guard isTrusted || bytes.count <= Self.maximumByteCount else {
            throw .invalidInput(
                "the document is longer than \(Self.maximumByteCount) bytes: root may check it")
        }
        return [
            "findings": .array(
                PolicyLint.check(
                    bytes, acceptsLegacy: vault.settings.debugSettingsEnabled,
                    maximumValueCount: isTrusted
                        ? JSONValue.maximumCount : JSONValue.maximumClientCount
                ).map(\.json))
        ]
    }

    /// Of a document that anybody may have checked; the longest that Intune exports are a tenth of
    /// it.
    private static let maximumByteCount = 256 << 10

    func importDocument(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["name", "document", "dryRun"])
        try requireTrusted(call, toDo: "import policies")
        let isTrial = try call.parameters.flag("dryRun")
        let name = try call.parameters.string("name")
        guard Self.isFileName(name) else {
            throw .invalidInput(
                "\(name) cannot be a document's name: letters, digits, '.', '_' and '-', and .json"
                    + " at its end"
            )
        }
        let bytes = Array(try call.parameters.string("document").utf8)
        let documents: [PolicyDocument]
        do throws(PolicyError) {
            documents = try PolicyDocument.decode(bytes, file: name)
            try requireProtection(documents, name)
        } catch { throw .invalidInput("\(name) is refused: \(error)") }
        if !isTrial, let error = store(bytes, name) {
            throw .systemError(error, "policies/\(name)")
        }
        let book = isTrial ? vault.policies.replacing(name, with: documents) : vault.policies
        let accounts = Accounts(vault).all.map(\.identity)
        let warnings =
            (documents.flatMap(\.warnings) + book.warnings(about: documents))
            .map(\.description)
            + LaunchChecks(tree).launchFindings(under: documents).map {
                "here it means to \($0.action.rawValue): \($0.reason)"
            }
            + [Accounts(vault).guessableSeconds(under: documents)].compactMap(\.self).map {
                "offline guessing finds the weakest passphrase that it allows within \($0) s;"
                    + " require ten digits or more, or a sealed device secret: mamd(8),"
                    + " CREDENTIALS"
            }
        return [
            "documents": .array(documents.map { .string($0.label) }),
            "coverage": .array(documents.map { book.coverage(of: $0, among: accounts).json }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    /// What the daemon would refuse is not written.
    private func requireProtection(
        _ documents: [PolicyDocument], _ name: String
    ) throws(PolicyError) {
        let former = vault.policies.documents.filter { $0.file == name }
        guard !former.contains(where: \.isProtection) || documents.contains(where: \.isProtection)
        else { throw .onlyConfigurations }
    }

    private static func isFileName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
        }
        // Room for what is added to it while it is written.
        return isPlain && !name.hasPrefix(".") && name.hasSuffix(".json") && name.utf8.count <= 200
            && !name.hasPrefix("MAMDebugSettings.")
    }
}

extension PolicyCoverage {
    fileprivate var json: JSONValue {
        [
            "document": .string(document),
            "accounts": .array(accounts.map { .string($0.description) }),
            "obstacle": JSONValue(obstacle), "next": JSONValue(next),
        ]
    }
}
