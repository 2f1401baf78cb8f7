// The second carrier: files of a web server.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWeb

/// Asks each quarter of an hour, more often while there is no connection. A server that has nothing
/// new answers without a body.
final class HTTPSPull {
    private let shared: Shared
    private let base: String
    private var source: HTTPSource
    /// Of the servers' certificates, as ``source`` believes it.
    private var authority: String?
    private let intervalSeconds: Int
    private var hasFailed = false

    static let intervalSeconds = 900
    /// The interval while there is no connection.
    private static let aloneSeconds = 120

    /// Nil if the organisation has no such server.
    init?(_ shared: Shared, intervalSeconds: Int?) {
        let enrolment = shared.read { $0.enrolment }
        guard let base = enrolment.https,
            let source = Self.source(base, believing: enrolment.authority)
        else { return nil }
        (self.shared, self.base, self.source) = (shared, base, source)
        authority = enrolment.authority
        self.intervalSeconds = intervalSeconds ?? Self.intervalSeconds
    }

    private static func source(_ base: String, believing authority: String?) -> HTTPSource? {
        HTTPSource(
            base: base, authority: authority, agent: "mamfleet/\(productVersion)",
            maximumByteCount: Bundle.maximumByteCount)
    }

    func run() -> Never {
        // Machines that start together do not ask together.
        _ = shared.pull.take(until: Deadline(milliseconds: Int.random(in: 0...2000)))
        while true {
            pull()
            wait()
        }
    }

    private func wait() {
        let end = jittered(seconds: intervalSeconds)
        let soon = jittered(seconds: min(intervalSeconds, Self.aloneSeconds))
        while !end.hasPassed {
            let isAlone = shared.read { $0.isAloneSince } != nil
            if isAlone, soon.hasPassed { return }
            if !shared.pull.take(until: min(end, Deadline(seconds: 10))).isEmpty { return }
        }
    }

    /// The engine may have told the next authority.
    private func takeAuthority() {
        let known = shared.read { $0.enrolment.authority }
        guard known != authority, let next = Self.source(base, believing: known) else { return }
        (source, authority) = (next, known)
    }

    private func pull() {
        takeAuthority()
        for name in BundlePlace.all(for: shared.machine, groups: shared.groups) {
            do throws(WebFailure) {
                try pull(name)
                hasFailed = false
            } catch {
                // The other bundles are on the same server.
                if !hasFailed { shared.log.info("the web server: \(name.label): \(error)") }
                hasFailed = true
                if case .transport = error { return }
            }
        }
    }

    private func pull(_ name: BundlePlace) throws(WebFailure) {
        let key = BundleKey(.https, name)
        let tag = shared.state.tag(of: key.file)
        guard case .file(let bytes, let new) = try source.get(name.path, tag: tag)
        else { return }
        shared.inbox.put(ArrivedBundle(key: key, bytes: bytes, tag: new))
    }
}
