// Hands bundles to the daemon, in order, as soon as they arrive.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// One thread, which waits for nothing but bundles and the daemon: an order is not behind a report
/// or a slow server.
final class Deliverer {
    private let shared: Shared
    private let daemon: DaemonLink
    private var verdicts = Verdicts()
    /// The bundles that wait for the daemon, or for their turn after junk.
    private var waiting: [BundleKey: Waiting] = [:]
    /// How often in a row a key had junk, and when the next of it has its turn.
    private var junk: [BundleKey: (count: Int, turn: Deadline)] = [:]
    /// The last bundle of each key, if a document in it was refused.
    private var refusing: [BundleKey: ArrivedBundle] = [:]
    private var nextLook = Deadline.now

    private struct Waiting {
        var bundle: ArrivedBundle
        var due: Deadline
    }

    /// How often the daemon is asked whether it is still the same.
    private static let lookSeconds = 10
    private static let retryMilliseconds = 1000
    private static let storeRetrySeconds = 30
    private static let toleratedCount = 50
    /// How many refused documents a line of the log names.
    private static let namedCount = 3

    init(_ shared: Shared) {
        self.shared = shared
        daemon = DaemonLink(shared.place)
    }

    func run() -> Never {
        while true {
            let arrived = shared.inbox.take(until: nextDeadline)
            shared.change { $0.delivererLived = .now }
            for bundle in arrived { wait(for: bundle) }
            if nextLook.hasPassed || !daemon.isConnected { look() }
            deliverDue()
        }
    }

    private var nextDeadline: Deadline {
        min(nextLook, waiting.values.map(\.due).min() ?? nextLook)
    }

    /// Replaces the bundle of that key that waits, also behind junk.
    private func wait(for bundle: ArrivedBundle) {
        waiting[bundle.key] = Waiting(bundle: bundle, due: junk[bundle.key]?.turn ?? .now)
    }

    // MARK: The daemon

    /// Connects if needed, and asks for the groups. A daemon that has restarted gets everything
    /// once more: it may have lost what it had not stored.
    private func look() {
        nextLook = Deadline(seconds: Self.lookSeconds)
        let isNew = !daemon.isConnected
        do throws(VarlinkClient.Failure) {
            let organization = try daemon.call(Varlink.Fleet.Show()).organization
            setProblem(nil)
            if isNew { begin() }
            guard let organization else { return setProblem("it has joined no organisation") }
            shared.setDaemon(problem: nil, documents: organization.documents.count)
            shared.setGroups(Set(organization.groups.filter { isName($0) }))
        } catch {
            setProblem(error.words)
            nextLook = Deadline(milliseconds: Self.retryMilliseconds)
        }
    }

    private func begin() {
        verdicts = Verdicts()
        junk = [:]
        refusing = [:]
        let files = reading(shared.state.path) { () throws(Errno) in try shared.state.names() }
        for file in (files ?? []).sorted() {
            guard let key = BundleKey(file: file), waiting[key] == nil,
                let bytes = reading(file, { () throws(Errno) in try shared.state.read(file) })
            else { continue }
            let bundle = ArrivedBundle(key: key, bytes: bytes, isKept: true)
            waiting[key] = Waiting(bundle: bundle, due: .now)
        }
        shared.reports.put(())
    }

    /// Logs a warning, and returns nil, for what cannot be read.
    private func reading<Value>(
        _ name: String, _ body: () throws(Errno) -> Value?
    ) -> Value? {
        do throws(Errno) { return try body() } catch {
            shared.log.warning("\(name) is not read: \(error)")
            return nil
        }
    }

    private func setProblem(_ problem: String?) {
        let former = shared.read { $0.daemonProblem }
        guard former != problem else { return }
        shared.setDaemon(problem: problem, documents: nil)
        shared.log.info(problem.map { "the daemon: \($0)" } ?? "the daemon answers")
    }

    // MARK: Bundles

    private func deliverDue() {
        let due = waiting.values.filter { $0.due.hasPassed }.map(\.bundle)
            .sorted { ($0.key.place.rank, $0.key.file) < ($1.key.place.rank, $1.key.file) }
        var hasChanged = false
        for bundle in due {
            // It is `look` that connects: a daemon that has come back gets everything once more.
            guard daemon.isConnected else {
                hold(bundle)
                continue
            }
            waiting[bundle.key] = nil
            do throws(VarlinkClient.Failure) {
                hasChanged = try deliver(bundle) || hasChanged
            } catch {
                waiting[bundle.key] = Waiting(bundle: bundle, due: retryDeadline(error))
                setProblem(error.words)
                nextLook = Deadline(milliseconds: Self.retryMilliseconds)
            }
            keep(bundle)
        }
        guard hasChanged else { return }
        tryRefusedAgain()
        nextLook = .now
        shared.reports.put(())
    }

    /// Keeps a bundle that came while the daemon is away: the server may be, once both are back.
    private func hold(_ bundle: ArrivedBundle) {
        var held = bundle
        if !bundle.isKept, junk[bundle.key] == nil, isSound(bundle) {
            keep(bundle)
            held.isKept = true
        }
        let due = Deadline(milliseconds: Self.retryMilliseconds)
        waiting[bundle.key] = Waiting(bundle: held, due: due)
    }

    private func isSound(_ bundle: ArrivedBundle) -> Bool {
        let carried = CarriedDocuments(bundle.bytes, bundle.key.place, for: shared.machine)
        return carried.map { $0.strange.count <= Self.toleratedCount } ?? false
    }

    /// Refused documents may have lacked what was accepted since, such as a membership or the time.
    private func tryRefusedAgain() {
        verdicts.forgetRefusals()
        for (key, bundle) in refusing where waiting[key] == nil {
            waiting[key] = Waiting(bundle: bundle, due: .now)
        }
    }

    private func retryDeadline(_ error: VarlinkClient.Failure) -> Deadline {
        if case .refused = error { return Deadline(seconds: Self.storeRetrySeconds) }
        return Deadline(milliseconds: Self.retryMilliseconds)
    }

    /// Returns whether the daemon has changed anything by it.
    private func deliver(_ bundle: ArrivedBundle) throws(VarlinkClient.Failure) -> Bool {
        guard
            let carried = CarriedDocuments(
                bundle.bytes, bundle.key.place, for: shared.machine)
        else {
            postpone(bundle.key, "is no bundle")
            return false
        }
        var tally = Tally()
        for document in carried.texts { try deliver(document, &tally) }
        refusing[bundle.key] = tally.isIncomplete ? bundle : nil
        judge(bundle.key, carried.strange + tally.refused)
        return tally.changes > 0
    }

    /// A few refused documents are normal; a bundle full of them was made up by a carrier.
    private func judge(_ key: BundleKey, _ refused: [RefusedDocument]) {
        guard refused.count <= Self.toleratedCount else {
            return postpone(key, "has \(refused.count) strange or refused documents")
        }
        junk[key] = nil
        guard !refused.isEmpty else { return }
        let some = refused.prefix(Self.namedCount).map(\.words).joined(separator: "; ")
        let rest = refused.count - Self.namedCount
        shared.log.warning(
            "\(key.file): \(counted(refused.count, "document")) refused: \(some)"
                + (rest > 0 ? "; and \(rest) more" : ""))
    }

    private struct Tally {
        var changes = 0
        /// Those that the daemon has refused now, but for what was signed before and is older.
        var refused: [RefusedDocument] = []
        /// Whether a document was refused, now or before.
        var isIncomplete = false
    }

    private func deliver(
        _ document: [UInt8], _ tally: inout Tally
    ) throws(VarlinkClient.Failure) {
        let digest = Verdicts.digest(of: document)
        guard !verdicts.isKnown(digest) else {
            if verdicts.isRefused(digest) { tally.isIncomplete = true }
            return
        }
        let request = Varlink.Fleet.Deliver(document: String(decoding: document, as: UTF8.self))
        do throws(VarlinkClient.Failure) {
            let effect = try daemon.call(request).effect
            verdicts.settle(digest)
            if effect != .nothing { tally.changes += 1 }
        } catch {
            guard case .refused(let refusal) = error, refusal.ofWorkspace != .systemError else {
                throw error
            }
            verdicts.refuse(digest)
            tally.isIncomplete = true
            // Former roots are always sent, and who was away has later ones than the carrier.
            if refusal.parameters["by"]?.text == Refusal.Kind.older.rawValue { return }
            tally.refused.append(RefusedDocument(document, "\(refusal)"))
        }
    }

    /// Lets the next bundle of this key wait, so that a carrier of junk does not keep this machine
    /// busy.
    private func postpone(_ key: BundleKey, _ words: String) {
        let count = (junk[key]?.count ?? 0) + 1
        junk[key] = (count, Deadline(seconds: min(60, 1 << min(count - 1, 6))))
        shared.log.warning("\(key.file) \(words)")
    }

    /// Stores a bundle for the next start, and for a daemon that restarts.
    private func keep(_ bundle: ArrivedBundle) {
        guard !bundle.isKept, bundle.key.carrier != .directory, junk[bundle.key] == nil else {
            return
        }
        do throws(Errno) {
            try shared.state.replace(bundle.key.file, with: bundle.bytes)
            // The server sends a bundle again if it is asked without the tag. So one that was
            // refused in part is tried once more.
            if let tag = bundle.tag, refusing[bundle.key] == nil {
                try shared.state.setTag(tag, of: bundle.key.file)
            }
        } catch { shared.log.warning("\(bundle.key.file) is not kept: \(error)") }
    }
}
