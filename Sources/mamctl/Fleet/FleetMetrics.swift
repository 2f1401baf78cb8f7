// What is counted of an organisation's machines. No machine has a series of its own: what it says
// of itself would be names of series.

internal import MAMFleet
internal import MAMModel
internal import MAMOffice

extension Survey {
    func metrics(_ root: FleetRoot) -> [MetricFamily] {
        [machineStates, reasons, disks, accounts, refusals, suspects, orderStates]
            + [documentEnds(root), certificateEnds, flawCount, ownTime]
    }

    private var machineStates: MetricFamily {
        let counts = sums.states
        return gauge(
            "machines", "Machines of the register by state.",
            SurveyedMachine.State.allCases.map {
                .init(["state": $0.rawValue], Int64(counts[$0] ?? 0))
            })
    }

    private var reasons: MetricFamily {
        let counts = sums.attention
        return gauge(
            "attention_machines", "Machines that need attention by reason; one may have several.",
            reasonLabels.keys.sorted().map { .init(["reason": $0], Int64(counts[$0] ?? 0)) })
    }

    private var disks: MetricFamily {
        let all = statuses.map { $0.facts?.isEncrypted }
        return gauge(
            "store_machines", "Machines by whether the store is on dm-crypt.",
            [("yes", true), ("no", false), ("unknown", nil)].map { word, value in
                .init(["encrypted": word], Int64(all.count { $0 == value }))
            })
    }

    private var accounts: MetricFamily {
        let all = statuses.flatMap(\.accounts)
        return gauge(
            "accounts", "Accounts on machines whose reports count.",
            MachineStatus.Window.allCases.map { window in
                .init(["window": window.rawValue], Int64(all.count { $0.window == window }))
            })
    }

    private var refusals: MetricFamily {
        gauge(
            "refused_accesses", "Accesses that machines refused in the week before their reports.",
            [.init(sums.refused)])
    }

    private var suspects: MetricFamily {
        var counts: [String: Int64] = [:]
        for status in statuses {
            for (word, count) in status.suspects {
                // A machine may name any kind, and a later one does.
                let kind = Refusal.Kind(rawValue: word) ?? .other
                counts[kind.rawValue, default: 0].add(saturating: count)
            }
        }
        return gauge(
            "suspect_documents",
            "Documents that machines refused in that week and nobody sends by mistake.",
            (Refusal.Kind.allCases.filter(\.isSuspect) + [.other]).map {
                .init(["kind": $0.rawValue], counts[$0.rawValue] ?? 0)
            })
    }

    private var orderStates: MetricFamily {
        gauge(
            "orders", "Orders in the directory by what became of them.",
            Order.Action.allCases.flatMap { action in
                SurveyedOrder.State.allCases.map { state in
                    let count = orders.orders.count {
                        $0.order.action == action && $0.state == state
                    }
                    return .init(
                        ["action": action.rawValue, "state": state.rawValue], Int64(count))
                }
            })
    }

    private func documentEnds(_ root: FleetRoot) -> MetricFamily {
        var ends = wanted.ends
        if let expires = root.file.statement.expires { ends["root"] = expires }
        return gauge(
            "document_expiry_timestamp_seconds", "When a signed document expires, Unix time.",
            ends.sorted { $0.key < $1.key }.map { .init(["document": $0.key], $0.value) })
    }

    private var certificateEnds: MetricFamily {
        gauge(
            "certificate_expiry_timestamp_seconds",
            "When a certificate of the engine's expires, Unix time.",
            certificates.map { .init(["subject": $0.server ?? "authority"], $0.ends) })
    }

    private var flawCount: MetricFamily {
        gauge(
            "directory_flaws", "What is wrong with the organisation's own documents.",
            [.init(Int64(flaws.count))])
    }

    private var ownTime: MetricFamily {
        gauge("survey_timestamp_seconds", "When these metrics were made, Unix time.", [.init(time)])
    }

    private var statuses: [MachineStatus] {
        machines.filter { !$0.isRevoked }.compactMap(\.status)
    }

    private func gauge(
        _ name: String, _ help: String, _ samples: [MetricFamily.Sample]
    ) -> MetricFamily {
        MetricFamily("mamd_fleet_\(name)", .gauge, help, samples)
    }
}
