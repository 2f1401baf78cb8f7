// What the probes have told that an organisation asks for.

internal import MAMEnrollment
internal import MAMLocks

extension Enrollments {
    /// Runs the probes of these settings; those of all others are forgotten.
    package func askProbes(_ keys: [String]) {
        let flaws = Dictionary(keys.map { ($0, probes.flaw(of: $0)) }) { first, _ in first }
        state.withLock { $0.probeFlaws = flaws }
    }

    /// Why the last answer is of no use, as a clause; nil: it is.
    func probeFlaw(_ key: String) -> String? {
        state.withLock { $0.probeFlaws[key] ?? "its program was not asked yet" }
    }
}
