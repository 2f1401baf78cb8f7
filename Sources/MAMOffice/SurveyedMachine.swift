// A machine of the register, with what it has reported.

internal import Glibc
package import MAMFleet
package import MAMModel
internal import MAMSystem

package struct SurveyedMachine: Sendable {
    package let entry: RegisteredMachine
    package let report: Report
    /// Nonces of the orders that it has told it obeyed, and of those that expired before it did.
    package let obeyed: Set<String>
    /// Those that did nothing, since nobody waited for them any more.
    let late: Set<String>
    package let unheard: [String]
    package let differences: [Difference]
    package let attention: [Attention]
    /// It has told that it obeyed its wipes, has no account left, and was ordered to leave.
    package let isRetired: Bool

    package enum Report: Sendable {
        /// It has sent no report.
        case none
        /// There is one that does not count, and why.
        case refused(String)
        case status(MachineStatus, issued: Int64)
    }

    package var status: MachineStatus? {
        if case .status(let status, _) = report { status } else { nil }
    }

    package var isRevoked: Bool { entry.revoked != nil }

    package var issued: Int64? {
        if case .status(_, let issued) = report { issued } else { nil }
    }

    /// Why somebody should look at it; the order is that of ``State``.
    package enum Attention: Sendable, Hashable {
        case refused(String)
        case silent
        /// Seconds since the report.
        case stale(Int64)
        /// Its report is of a time to come, in so many seconds, and would never be stale.
        case early(Int64)
        /// Its audit is newer, by so many seconds: an old report was put back.
        case replayed(Int64)
        /// Whether an old report was put back is not known: its audit cannot be read.
        case auditUnreadable(Errno)
        /// How many documents it has refused that nobody sends by mistake, by ``Refusal/Kind``.
        case suspects([String: Int64])
        /// Revoked, it reports as if it were not.
        case revoked
        case problem(String)
        /// How many accounts, and what blocks them.
        case notCompliant(Int, [String])
        case blocked(Int, [String])
        /// Names of accounts whose passphrase was forgotten.
        case resetAsked([String])
        case findings(Int64)
        /// What it does not do of what is asked of its settings, by key; empty: it does not answer.
        case settings([String: String])
        case documents([Difference])
        /// Orders that it had a day for.
        case overdue([String])
        /// Orders that expired before it was heard to obey them.
        case expired([String])

        /// The reason's name in JSON.
        package var name: String {
            switch self {
            case .refused: "refused"
            case .silent: "silent"
            case .stale: "stale"
            case .early: "early"
            case .replayed: "replayed"
            case .auditUnreadable: "auditUnreadable"
            case .suspects: "suspects"
            case .revoked: "revoked"
            case .problem: "problem"
            case .notCompliant: "notCompliant"
            case .blocked: "blocked"
            case .resetAsked: "resetAsked"
            case .findings: "findings"
            case .settings: "settings"
            case .documents: "documents"
            case .overdue: "overdue"
            case .expired: "expired"
            }
        }

        /// Whether it stands for a machine that was revoked, too.
        fileprivate var outlastsRevocation: Bool {
            switch self {
            case .revoked, .expired: true
            default: false
            }
        }

        /// Whether it stands for a machine that was ordered to leave: that reports no more.
        fileprivate var outlastsRetirement: Bool {
            switch self {
            case .overdue, .expired, .suspects, .replayed: true
            default: false
            }
        }
    }

    /// One word for each machine, the worst that is true.
    package enum State: String, Sendable, CaseIterable {
        case compliant, attention, stale, silent, refused, retired, revoked
    }

    package var state: State {
        if isRevoked { return .revoked }
        switch report {
        case .refused: return .refused
        case .none: return .silent
        case .status: break
        }
        if isRetired, attention.isEmpty { return .retired }
        if attention.contains(where: \.isAboutAge) { return .stale }
        return attention.isEmpty ? .compliant : .attention
    }

    package var label: String { ReportedMachine(entry: entry, status: status).label }

    package func isNamed(_ text: String) -> Bool {
        ReportedMachine(entry: entry, status: status).isNamed(text)
    }
}

extension SurveyedMachine.Attention {
    var isAboutAge: Bool {
        switch self {
        case .stale, .early, .replayed: true
        default: false
        }
    }
}

/// Judges machines by their statuses.
struct Judge: Sendable {
    let directory: OrganizationDirectory
    let organization: Bytes16
    let wanted: Wanted
    let orders: OrderBook
    let now: Int64
    let staleSeconds: Int64

    /// How far a clock may be ahead.
    static let toleratedSeconds: Int64 = 3600

    func machine(_ entry: RegisteredMachine) -> SurveyedMachine {
        let report = report(of: entry)
        var (differences, found): ([Difference], [SurveyedMachine.Attention]) = ([], [])
        var (told, reported): (MachineStatus?, Int64?) = (nil, nil)
        if case .status(let status, let issued) = report { (told, reported) = (status, issued) }
        let obeyed = orders.obeyed(by: entry, told)
        if let told, let reported {
            differences = Difference.all(of: told, of: entry.machine, issued: reported, wanted)
            found = attention(entry, told, reported, obeyed) + attention(to: differences)
        } else {
            found = [attention(withoutStatus: report)]
        }
        let unheard = orders.unheard(from: entry.machine, obeyed, reported: reported, now: now)
        if !unheard.isEmpty { found.append(.expired(unheard)) }
        let isRetired =
            told?.accounts.isEmpty == true
            && orders.hasRetired(entry.machine, obeyed, reported: reported ?? 0)
        if entry.revoked != nil {
            found = found.filter(\.outlastsRevocation)
        } else if isRetired {
            found = found.filter(\.outlastsRetirement)
        }
        return SurveyedMachine(
            entry: entry, report: report, obeyed: obeyed, late: orders.late(for: entry, told),
            unheard: unheard,
            differences: differences, attention: found, isRetired: isRetired)
    }

    private func report(of entry: RegisteredMachine) -> SurveyedMachine.Report {
        switch directory.report(directory.statusFile(entry.machine), of: entry, in: organization) {
        case nil: return .none
        case .failure(let error): return .refused(error.reason)
        case .success(let report):
            guard case .status(let status) = report.content else {
                return .refused("it is no status")
            }
            return .status(status, issued: report.issued)
        }
    }

    private func attention(
        withoutStatus report: SurveyedMachine.Report
    ) -> SurveyedMachine.Attention {
        if case .refused(let reason) = report { .refused(reason) } else { .silent }
    }

    private func attention(
        _ entry: RegisteredMachine, _ status: MachineStatus, _ issued: Int64,
        _ obeyed: Set<String>
    ) -> [SurveyedMachine.Attention] {
        var found: [SurveyedMachine.Attention] = []
        if let revoked = entry.revoked, issued > revoked { found.append(.revoked) }
        if issued > now + Self.toleratedSeconds {
            found.append(.early(issued - now))
        } else if now - issued > staleSeconds {
            found.append(.stale(now - issued))
        } else if let reason = replay(of: entry, issued) {
            found.append(reason)
        }
        if !status.suspects.isEmpty { found.append(.suspects(status.suspects)) }
        if let problem = status.problem { found.append(.problem(problem)) }
        let blocked = status.accounts.filter { $0.window == .blocked || $0.blockedBy != nil }
        if !blocked.isEmpty { found.append(.blocked(blocked.count, reasons(blocked))) }
        let others = status.accounts.filter {
            !$0.compliant && $0.window != .blocked && $0.blockedBy == nil
        }
        if !others.isEmpty { found.append(.notCompliant(others.count, [])) }
        let asking = status.accounts.filter { ($0.reset?.ends ?? 0) > now }.map(\.name)
        if !asking.isEmpty { found.append(.resetAsked(asking)) }
        if let check = status.verify, check.findings > 0 { found.append(.findings(check.findings)) }
        if let reason = settings(of: entry.machine, status, issued) { found.append(reason) }
        let overdue = orders.overdue(
            for: entry.machine, obeyed, reported: issued, now: now)
        if !overdue.isEmpty { found.append(.overdue(overdue)) }
        return found
    }

    private func settings(
        of machine: MachineID, _ status: MachineStatus, _ issued: Int64
    ) -> SurveyedMachine.Attention? {
        // What a machine has, it had when it reported, whatever the clock of its signer.
        let isAsked = wanted.settingsAsked(of: machine).contains {
            $0.statement.issued < issued
                || status.documents["\($0.slot)"] == $0.statement.serial
        }
        guard isAsked else { return nil }
        // A machine of an older version has refused the document.
        guard let told = status.settings else { return .settings([:]) }
        let unmet = told.filter { !$0.value.isEmpty }
        return unmet.isEmpty ? nil : .settings(unmet)
    }

    private func reasons(_ accounts: [MachineStatus.Account]) -> [String] {
        Set(accounts.compactMap(\.blockedBy)).sorted()
    }

    private func attention(to differences: [Difference]) -> [SurveyedMachine.Attention] {
        let found = differences.filter(\.matters)
        return found.isEmpty ? [] : [.documents(found)]
    }

    private func replay(
        of entry: RegisteredMachine, _ issued: Int64
    ) -> SurveyedMachine.Attention? {
        do throws(Errno) {
            return try auditTime(of: entry, after: issued + secondsPerDay)
                .map { .replayed($0 - issued) }
        } catch { return error == .noEntry ? nil : .auditUnreadable(error) }
    }

    /// When the newest report of its audit was issued, if that was after `time`. The file is read
    /// only if it has changed since.
    private func auditTime(
        of entry: RegisteredMachine, after time: Int64
    ) throws(Errno) -> Int64? {
        let path = directory.whole(directory.auditFile(entry.machine))
        guard try Int64(status(at: workingDirectory, path.cString).st_mtim.tv_sec) > time,
            let line = try lastLine(of: path),
            let envelope = try? ReportEnvelope(parsing: line), envelope.kind == .audit,
            let report = try? MachineReport(
                envelope, of: entry.machine, by: entry.publicKey, in: organization),
            report.issued > time
        else { return nil }
        return report.issued
    }
}
