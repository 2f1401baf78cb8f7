// The policy directory: the embedded policy service. Reading it is a check-in.

import Glibc
import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWire
import MAMWorkspace
import Synchronization

/// What one reading came to.
struct PolicyReading {
    var documents: [PolicyDocument] = []
    var refused: [RefusedDocument] = []
    /// Orders of the administrator's to wipe an account: they are no policies.
    var wipeRequests: [WipeRequest] = []
    /// Why the directory as a whole could not be read.
    var failure: String?

    var hasChanged = false
    /// Something is other than at the last reading.
    var isNews = false

    /// A file that was refused before is refused since then, also while nobody can look at it.
    mutating func keep(_ earlier: Set<RefusedDocument>) {
        let times = Dictionary(earlier.map { ($0.file, $0.since) }) { min($0, $1) }
        for index in refused.indices {
            refused[index].since = times[refused[index].file] ?? refused[index].since
        }
        guard failure != nil else { return }
        let files = Set(refused.map(\.file))
        refused += earlier.filter { !files.contains($0.file) }.sorted { $0.file < $1.file }
    }

    /// What it counts as. An order that is obeyed has been understood.
    var outcome: CheckInOutcome {
        if let failure { return .unreadable(failure) }
        if let bad = refused.first(where: { !$0.isObeyed }) {
            return .notUnderstood("\(bad.file): \(bad.reason)")
        }
        return hasChanged ? .ok : .unchanged
    }
}

/// All `*.json` of one directory. Of a document that is bad the last good version stays in force;
/// one that was removed is out of force; while the directory itself cannot be read, everything
/// stays as it was.
final class PolicyDirectory: Sendable {
    let path: String
    let settings: Settings
    /// The policy for trials that stands in the settings.
    private let debugPolicy: PolicyDocument?
    private let workspace: [String]
    let log: Log
    /// One reading at a time.
    private let state: Mutex<State>

    private struct State: Sendable {
        var copies: PolicyCopies
        var book = PolicyBook.empty
        var refused: Set<RefusedDocument> = []
        var failure: String?
        var scrubbed: Set<String> = []
    }

    init(
        _ path: String, state: String, isReadOnly: Bool, of workspace: [String],
        _ settings: Settings, debugPolicy: PolicyDocument?, _ log: Log
    ) throws(Errno) {
        self.path = path
        self.settings = settings
        self.debugPolicy = debugPolicy
        self.workspace = workspace
        self.log = log
        self.state = Mutex(
            State(copies: try PolicyCopies(in: state, isReadOnly: isReadOnly, log)))
    }

    /// The documents to start with. A bad one without a good version stops the start: files might
    /// get a weaker class than their owner's policy says.
    func start() throws(StartError) -> PolicyBook {
        let (reading, book) = state.withLock { state in
            var reading = read(&state.copies)
            adopt(&reading, &state, settings.groups)
            return (reading, state.book)
        }
        if let failure = reading.failure, reading.documents.isEmpty, access(path, F_OK) == 0 {
            throw StartError("\(path) cannot be read: \(failure)")
        }
        if let bad = reading.refused.first(where: { $0.lastGood == nil }) {
            throw StartError(
                "\(path)/\(bad.file) is refused: \(bad.reason); "
                    + "correct it (mamctl policy check FILE shows the line) or remove it")
        }
        return book
    }

    /// Reads anew, puts into force what has changed, and has orders to wipe carried out.
    func reload(into tree: Tree) -> PolicyReading {
        let vault = tree.vault
        let (reading, newlyRefused) = state.withLock { state in
            var reading = read(&state.copies)
            let (book, refused, failure) = (state.book, state.refused, state.failure)
            let newlyRefused = adopt(&reading, &state, vault.accountRules.groups)
            let hasChanged = state.book != book
            reading.hasChanged = hasChanged
            reading.isNews = hasChanged || (state.refused, state.failure) != (refused, failure)
            vault.metrics.count(hasChanged ? .policyChanges : .policyReadingsUnchanged)
            if hasChanged {
                vault.audit(
                    .policyChanged, nil,
                    "\(path) has changed: \(state.book.documents.count) documents")
            }
            PolicyChange(tree).replacePolicies(
                hasChanged ? state.book : nil, refused: reading.refused)
            return (reading, newlyRefused)
        }
        for document in newlyRefused {
            vault.announce(.policyRefused(document: document.file, reason: document.reason))
            FileAudit(vault).auditRefusal(of: document)
        }
        // Before the mount is there, and in a read-only one, no file could be removed.
        if !Wipe(tree).isReadOnly {
            for request in reading.wipeRequests { Orders(tree).obeyWipe(request) }
        }
        return reading
    }

    /// Returns what was not refused before.
    @discardableResult
    private func adopt(
        _ reading: inout PolicyReading, _ state: inout State, _ groups: [String: [String]]
    ) -> [RefusedDocument] {
        reading.keep(state.refused)
        let book = PolicyBook(
            documents: reading.documents + (debugPolicy.map { [$0] } ?? []),
            workspace: workspace, groups: groups)
        // Before a word is said about them.
        state.scrubbed.formUnion(valuesToScrub(in: reading.documents))
        log.rules.set(isVerbose: settings.verboseLogging, scrubbed: Array(state.scrubbed))
        let news = reading.refused.filter { !state.refused.contains($0) }
        for document in news {
            let rest =
                document.lastGood.map { "the last good version stays in force: \($0.documents)" }
                ?? "nothing of it is in force"
            log.tell(
                .policyRefused, [.path: document.file, .reason: document.reason],
                "\(path)/\(document.file) is refused: \(document.reason); \(rest)")
        }
        if let failure = reading.failure, failure != state.failure {
            log.error("\(path) cannot be read: \(failure); the last good documents stay in force")
        }
        if book != state.book { reportWarnings(of: book) }
        (state.book, state.refused, state.failure) = (book, Set(reading.refused), reading.failure)
        return news
    }

    private func valuesToScrub(in documents: [PolicyDocument]) -> [String] {
        documents.flatMap(\.customSettings)
            .filter { settings.valuesToScrub.contains($0.name) }.flatMap { forms(of: $0.value) }
    }

    /// As it is, and as JSON and file names would show it.
    private func forms(of value: String) -> [String] {
        let quoted = String(decoding: JSONValue.string(value).encoded(), as: UTF8.self)
        return [value, String(quoted.dropFirst().dropLast()), ByteString(value).shown]
    }

    private func reportWarnings(of book: PolicyBook) {
        for document in book.documents {
            report(document.warnings, of: "\(path)/\(document.file ?? document.label)", log)
        }
        report(book.warnings, of: path, log)
    }
}
