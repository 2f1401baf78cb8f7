// The daemon's counters as metrics.

internal import MAMAudit
internal import MAMModel

extension Metric {
    /// The metric family, and the label that distinguishes this member of it.
    fileprivate var sample: (family: String, label: (String, String)?) {
        switch self {
        case .opens: ("opens", nil)
        case .creations: ("creations", nil)
        case .refusedClosed: ("refusals", ("reason", "window-closed"))
        case .refusedKeyMissing: ("refusals", ("reason", "key-missing"))
        case .refusedKeyRevoked: ("refusals", ("reason", "key-revoked"))
        case .refusedBlocked: ("refusals", ("reason", "blocked"))
        case .refusedByPolicy: ("refusals", ("reason", "policy"))
        case .refusedDamaged: ("refusals", ("reason", "damaged"))
        case .refusedOtherwise: ("refusals", ("reason", "other"))
        case .locks: ("locks", nil)
        case .unlocks: ("unlocks", nil)
        case .wipes: ("wipes", nil)
        case .blocks: ("blocks", nil)
        case .checkIns: ("check_ins", ("outcome", "succeeded"))
        case .failedCheckIns: ("check_ins", ("outcome", "failed"))
        case .policyChanges: ("policy_readings", ("outcome", "changed"))
        case .policyReadingsUnchanged: ("policy_readings", ("outcome", "unchanged"))
        case .refusedPolicies: ("policy_documents_refused", nil)
        case .yesDecisions: ("decisions", ("answer", "yes"))
        case .noDecisions: ("decisions", ("answer", "no"))
        case .damagedBlocks: ("damaged_blocks", nil)
        case .sessions: ("sessions", nil)
        case .containedPrograms: ("contained_programs", nil)
        case .containmentFiles: ("containment_refusals", ("of", "file"))
        case .containmentCalls: ("containment_refusals", ("of", "call"))
        }
    }
}

/// The HELP line of each family.
private let help = [
    ("opens", "Files that were opened."),
    ("creations", "Files that were begun, or begun anew."),
    ("refusals", "Opens and creations that were refused."),
    ("locks", "Times that an account's files became unavailable."),
    ("unlocks", "Times that they became available."),
    ("wipes", "Accounts that were destroyed."),
    ("blocks", "Times that policy closed an account."),
    ("check_ins", "Readings of the policy source for an account."),
    ("policy_readings", "Readings of the policy directory."),
    ("policy_documents_refused", "Documents that were found to be bad."),
    ("decisions", "Questions about policy that were answered."),
    ("damaged_blocks", "Reads that met a block which does not verify."),
    ("sessions", "Sessions with an account as their user interface identity."),
    ("contained_programs", "Programs that were started contained."),
    ("containment_refusals", "Files and calls refused so that data stays with contained programs."),
]

extension Metrics {
    /// By name of sample.
    var counters: [String: Int64] {
        Dictionary(
            uniqueKeysWithValues: Metric.allCases.map { metric in
                ("\(metric.sample.family)\(sample(of: metric).set)", self[metric])
            })
    }

    /// All families, in the order of `help`.
    var openMetrics: String {
        MAMModel.openMetrics(
            help.map { family, text in
                let metrics = Metric.allCases.filter { $0.sample.family == family }
                return MetricFamily("mamd_\(family)", .counter, text, metrics.map(sample))
            })
    }

    private func sample(of metric: Metric) -> MetricFamily.Sample {
        guard let (name, value) = metric.sample.label else { return .init(self[metric]) }
        return .init([name: value], self[metric])
    }
}
