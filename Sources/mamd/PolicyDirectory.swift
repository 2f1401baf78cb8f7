// The policy directory: the built-in policy service. Reading it is a check-in.

import Glibc
import MAMAudit
import MAMCommandLine
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

/// The result of one reading.
struct PolicyReading {
    var documents: [PolicyDocument] = []
    var refused: [RefusedDocument] = []
    /// Wipe orders, which are no policies.
    var wipeRequests: [WipeRequest] = []
    /// Why the directory could not be read.
    var failure: String?
    /// Set in a workspace that has joined an organisation.
    var signed: SignedReading?

    var hasChanged = false
    /// Something changed since the last reading.
    var isNews = false
    /// The directory has other documents than those in force: ``documents``.
    var isHeldBack = false
    /// Files that the CheckIn hook has not agreed to.
    var heldBack: [RefusedDocument] = []

    /// A file that is still refused keeps the time of its first refusal, and stays refused while
    /// the directory cannot be read.
    mutating func keep(_ earlier: Set<RefusedDocument>) {
        let times = Dictionary(earlier.map { ($0.file, $0.since) }) { min($0, $1) }
        for index in refused.indices {
            refused[index].since = times[refused[index].file] ?? refused[index].since
        }
        guard failure != nil else { return }
        let files = Set(refused.map(\.file))
        refused += earlier.filter { !files.contains($0.file) }.sorted { $0.file < $1.file }
    }

    /// The outcome for enrolment. A wipe order in a policy's place is no failure.
    var outcome: CheckInOutcome {
        if let reason = signed?.staleness { return .failure(reason) }
        if signed != nil { return hasChanged ? .ok : .unchanged }
        if let failure { return .unreadable(failure) }
        if let bad = refused.first(where: { !$0.isObeyed }) {
            return .notUnderstood("\(bad.file): \(bad.reason)")
        }
        return hasChanged ? .ok : .unchanged
    }
}

/// What only a standing with an organisation tells.
struct SignedReading {
    /// The accounts of the groups that policies are assigned to.
    var groups: [String: [String]]
    /// Those that order keys have signed, too.
    var wipedGroups: [String: [String]]
    /// Why the reading is no check-in; nil if it is one.
    var staleness: String?
}

/// All `*.json` files of one directory. An invalid document leaves its last valid version in force;
/// a removed one is no longer in force; while the directory cannot be read, nothing changes. Where
/// there is a CheckIn hook, a change counts once it has agreed.
final class PolicyDirectory: Sendable {
    let path: String
    let settings: Settings
    /// The trial policy in the settings.
    private let debugPolicy: PolicyDocument?
    private let workspace: [String]
    let log: Log
    let fleet: Fleet
    /// Serialises readings.
    private let state: Mutex<State>
    /// Called when the organisation asks something else of the settings.
    private let onNewSettings = Mutex<(@Sendable () -> Void)?>(nil)

    struct State: Sendable {
        var copies: PolicyCopies
        /// What the CheckIn hook was asked about last, and what it did not agree to.
        var asked: [String: [UInt8]]?
        var declined: [String: [UInt8]]?
        var book = PolicyBook.empty
        var refused: Set<RefusedDocument> = []
        var failure: String?
        var scrubbed: Set<String> = []
    }

    init(
        _ path: String, state: String, isReadOnly: Bool, of workspace: [String],
        _ settings: Settings, debugPolicy: PolicyDocument?, fleet: Fleet, _ log: Log
    ) throws(Errno) {
        self.path = path
        self.settings = settings
        self.debugPolicy = debugPolicy
        self.workspace = workspace
        self.log = log
        self.fleet = fleet
        self.state = Mutex(
            State(copies: try PolicyCopies(in: state, isReadOnly: isReadOnly, log)))
    }

    /// The documents at the start. An invalid one without a valid copy prevents the start, because
    /// files might get a weaker class than policy requires.
    func start() throws(Failure) -> PolicyBook {
        let (reading, book) = state.withLock { state in
            // Without documents in force, what is there is stricter than nothing.
            var reading = readAll(&state, state.copies.documents.isEmpty ? .yes : .notAsked)
            // The accounts, and what issuers proved of them, are not known yet.
            adopt(&reading, &state, settings.groups, [])
            return (reading, state.book)
        }
        if reading.signed != nil { return book }
        if let failure = reading.failure, reading.documents.isEmpty, access(path, F_OK) == 0 {
            throw Failure("\(path) cannot be read: \(failure)")
        }
        if let bad = reading.refused.first(where: { $0.lastGood == nil }) {
            throw Failure(
                "\(path)/\(bad.file) is refused: \(bad.reason); "
                    + "correct it (mamctl policy check FILE shows the line) or remove it")
        }
        return book
    }

    /// Reads again, applies changes, and carries out wipe orders.
    func reload(into tree: Tree, _ answer: HookAnswer = .notAsked) -> PolicyReading {
        let vault = tree.vault
        let (reading, newlyRefused, hasNewSettings) = state.withLock { state in
            var reading = readAll(&state, answer)
            let (book, refused, failure) = (state.book, state.refused, state.failure)
            let newlyRefused = adopt(
                &reading, &state, vault.accountRules.groups, vault.provenGroups)
            let hasChanged = state.book != book
            reading.hasChanged = hasChanged
            let hasNewSettings = PolicyChange(tree).replaceFleetSettings()
            reading.isNews =
                reading.isNews || hasChanged || hasNewSettings
                || (state.refused, state.failure) != (refused, failure)
            vault.sinks.metrics.count(hasChanged ? .policyChanges : .policyReadingsUnchanged)
            if hasChanged {
                vault.audit(
                    .policyChanged, nil,
                    "\(path) has changed: \(counted(state.book.documents.count, "document"))")
            }
            PolicyChange(tree).replacePolicies(
                hasChanged ? state.book : nil, refused: reading.refused + reading.heldBack)
            return (reading, newlyRefused, hasNewSettings)
        }
        if hasNewSettings { onNewSettings.withLock { $0 }?() }
        for document in newlyRefused {
            vault.announce(.policyRefused(document: document.file, reason: document.reason))
            FileAudit(vault).auditRefusal(of: document)
        }
        // Before mounting, and on a read-only mount, no file could be removed.
        if !Wipe(tree).isReadOnly {
            for request in reading.wipeRequests { Orders(tree).obeyWipe(request) }
        }
        if reading.signed != nil {
            // Accounts that no signed policy covers any more are closed.
            if reading.hasChanged || hasNewSettings { LaunchChecks(tree).checkLaunchOfAll() }
            Orders(tree).obeyPending(of: fleet)
        }
        return reading
    }

    func onNewSettings(_ action: @escaping @Sendable () -> Void) {
        onNewSettings.withLock { $0 = action }
    }

    private func readAll(_ state: inout State, _ answer: HookAnswer) -> PolicyReading {
        if let standing = fleet.standing { return readSigned(standing, former: state.copies) }
        if settings.hooks.checkIn != nil, answer != .yes { return readAside(&state, answer) }
        (state.asked, state.declined) = (nil, nil)
        return read(&state.copies)
    }

    /// Returns what was not refused before.
    @discardableResult
    private func adopt(
        _ reading: inout PolicyReading, _ state: inout State, _ groups: [String: [String]],
        _ proven: [ProvenGroups]
    ) -> [RefusedDocument] {
        reading.keep(state.refused)
        let book = PolicyBook(
            documents: reading.documents + (debugPolicy.map { [$0] } ?? []),
            workspace: workspace, groups: reading.signed?.groups ?? groups,
            wiped: reading.signed?.wipedGroups, proven: proven,
            // Whoever chooses the issuer must not loosen what an organisation has signed.
            mayLoosen: reading.signed == nil)
        // Before anything about them is logged.
        state.scrubbed.formUnion(valuesToScrub(in: reading.documents))
        log.rules.set(isVerbose: settings.verboseLogging, scrubbed: Array(state.scrubbed))
        let unused = reading.refused + reading.heldBack
        let news = unused.filter { !state.refused.contains($0) }
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
        (state.book, state.refused, state.failure) = (book, Set(unused), reading.failure)
        return news
    }

    private func valuesToScrub(in documents: [PolicyDocument]) -> [String] {
        documents.flatMap(\.customSettings)
            .filter { settings.valuesToScrub.contains($0.name) }.flatMap { forms(of: $0.value) }
    }

    /// The value, and its forms in JSON and in file names.
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
