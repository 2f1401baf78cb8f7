// Policy documents: show those in force, check one, import one.

internal import MAMFleet
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Answers the calls about policy documents.
struct PolicyDocuments: PolicyService {
    let tree: Tree
    /// Writes a document to the policy directory and applies it.
    let store: @Sendable (_ document: [UInt8], _ name: String) throws(VarlinkError) -> Void

    func show(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Show.Reply {
        let request: Wire.Show = try call.request()
        let principal = try principals(request.account, request.accounts, call)
        // Only the administrator sees which documents there are.
        let isTrusted = isTrusted(call.peer)
        let refused = isTrusted ? vault.refusedDocuments : []
        let warnings = isTrusted ? vault.rules.settings.warnings + vault.policies.warnings : []
        return .init(
            account: principal.identity.name, managed: principal.isManaged,
            rules: principal.policy.rulesJSON,
            documents: principal.policy.sources.map { .init($0) },
            refused: refused.map { .init($0) }, warnings: warnings.map(\.description))
    }

    func check(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Check.Reply {
        let request: Wire.Check = try call.request()
        let bytes = Array(request.document.utf8)
        let isTrusted = isTrusted(call.peer)
        guard isTrusted || bytes.count <= Self.maximumByteCount else {
            throw .invalidInput(
                "the document is longer than \(Self.maximumByteCount) bytes: root may check it")
        }
        return .init(
            findings: PolicyLint.check(
                bytes, acceptsLegacy: vault.rules.settings.debugSettingsEnabled,
                maximumValueCount: isTrusted
                    ? JSONValue.maximumCount : JSONValue.maximumClientCount
            ).map { .init($0) })
    }

    /// The limit for untrusted callers: ten times the longest export of Intune.
    private static let maximumByteCount = 256 << 10

    func importDocument(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Import.Reply {
        let request: Wire.Import = try call.request()
        try requireTrusted(call, toDo: "import policies")
        if let organization = vault.fleet?.standing?.root.name {
            throw .refused(
                "this workspace has joined \(organization), and only what that has signed counts",
                next: "mamctl fleet deliver DOCUMENT")
        }
        let isTrial = request.dryRun ?? false
        let name = request.name
        guard Self.isFileName(name) else {
            throw .invalidInput(
                "\(name) cannot be a document's name: it ends in .json, begins with no '.', and has"
                    + " no '/' and at most 200 bytes"
            )
        }
        let bytes = Array(request.document.utf8)
        let documents: [PolicyDocument]
        do throws(PolicyError) {
            documents = try PolicyDocument.decode(bytes, file: name)
            try requireProtection(documents, name)
        } catch { throw .invalidInput("\(name) is refused: \(error)") }
        // Before it is in force, as afterwards it has closed them.
        let trial = vault.policies.replacing(name, with: documents)
        let closes = LaunchChecks(tree).closures(under: trial)
        let closed = Set(closes.map(\.account.description))
        let unproved = Accounts(vault).heldToOtherRules(under: trial).map(\.description)
            .filter { !closed.contains($0) }
        if !isTrial { try store(bytes, name) }
        let book = isTrial ? trial : vault.policies
        let accounts = Accounts(vault).all.map(\.identity)
        return .init(
            documents: documents.map(\.label),
            coverage: documents.map { .init(book.coverage(of: $0, among: accounts)) },
            warnings: warnings(about: documents, in: book) + unproved.map(Self.warning),
            closes: closes.map {
                .init(account: $0.account.description, reason: $0.block.reason.english)
            })
    }

    private func warnings(about documents: [PolicyDocument], in book: PolicyBook) -> [String] {
        let written =
            documents.flatMap { $0.warnings + $0.remarks } + book.warnings(about: documents)
        let closing =
            LaunchChecks(tree).launchFindings(under: documents).map(\.meaning)
            + [Containment(vault).finding(under: documents)].compactMap(\.self)
        let guessable = Accounts(vault).guessableSeconds(under: documents).map(PinRules.guessable)
        return written.map(\.description) + closing + [guessable].compactMap(\.self)
    }

    private static func warning(ofPassphraseOf account: String) -> String {
        "the next unlock of \(account) checks its passphrase against other rules; one that is too"
            + " weak closes the account until: mamctl account passphrase \(account)"
    }

    /// Refuses what the daemon would refuse on loading: configurations alone in place of a policy.
    private func requireProtection(
        _ documents: [PolicyDocument], _ name: String
    ) throws(PolicyError) {
        let former = vault.policies.documents.filter { $0.file == name }
        guard !former.contains(where: \.isProtection) || documents.contains(where: \.isProtection)
        else { throw .onlyConfigurations }
    }

    private static func isFileName(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy {
            $0 != "/" && $0.properties.generalCategory != .control
        }
        // 200: room for the suffix of the temporary file.
        return isPlain && isDocumentName(name.utf8) && name.utf8.count <= 200
            && !name.hasPrefix("MAMDebugSettings.")
    }
}

extension Varlink.Policy.Coverage {
    fileprivate init(_ coverage: PolicyCoverage) {
        self.init(
            document: coverage.document, accounts: coverage.accounts.map(\.description),
            obstacle: coverage.obstacle, next: coverage.next)
    }
}

extension Varlink.Policy.Document {
    fileprivate init(_ document: PolicyDocument) {
        self.init(
            name: document.label, file: document.file, id: document.id,
            version: document.version, isDefault: document.isDefault)
    }
}

extension Varlink.Policy.Finding {
    fileprivate init(_ finding: LintFinding) {
        self.init(
            line: finding.line, column: finding.column, severity: .init(finding.severity),
            key: finding.key, reason: finding.reason)
    }
}
