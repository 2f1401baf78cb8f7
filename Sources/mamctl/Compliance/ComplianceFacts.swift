// The settings that Intune compares with an administrator's rules (docs/INTUNE.md).

internal import CShims
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMWire

/// About the caller's accounts in one workspace. What is not known has the value that no sensible
/// rule accepts: false, no class, version 0.0.0, the highest threat and age.
struct ComplianceFacts: Sendable {
    private var version = "0.0.0"
    private var isMounted = false
    private var isRegistered = false
    private var isCovered = false
    private var isCompliant = false
    private var isLocked = false
    private var isContaining = false
    private var hasJoined = false
    private var isCurrent = false
    private var protectionClass = ""
    private var threat = threats.count
    private var policySerial = 0
    private var policyDays = unknownDays
    private var checkInDays = unknownDays

    private static let unknownDays = 36_500
    /// As a number, so that a rule can accept several; unknown is above all of them.
    private static let threats: [Varlink.Enrollment.ThreatLevel] = [.secured, .low, .medium, .high]

    /// Nothing is known.
    init() {}

    init(of daemon: Daemon) throws {
        let report = try daemon.status()
        version = report.version
        isMounted = !report.mountPoint.isEmpty && report.backingGone != true
        take(report.ownAccounts.filter { $0.stage != .signedOut })
        try takeClass(of: report.mountPoint, daemon)
        try takeThreat(daemon)
        try takeContainment(daemon)
        try takeOrganization(daemon)
    }

    private mutating func take(_ accounts: [AccountReport]) {
        isRegistered = !accounts.isEmpty
        isCovered = isRegistered && accounts.allSatisfy { $0.stage == .enrolled }
        isCompliant =
            isCovered
            && accounts.allSatisfy { $0.block?.endsWithUnlock ?? true }
        isLocked =
            isRegistered
            && accounts.allSatisfy { $0.state == .locked || $0.state == .beforeFirstUnlock }
        let ages = accounts.map { $0.secondsSinceCheckIn.map(days) ?? Self.unknownDays }
        checkInDays = ages.max() ?? Self.unknownDays
    }

    /// What new files at the top of the workspace get.
    private mutating func takeClass(of mountPoint: String, _ daemon: Daemon) throws {
        let request = Varlink.Workspace.ProtectionInfo(path: mountPoint)
        protectionClass = try daemon.ifTold(request)?.protection.effectiveClass?.letter ?? ""
    }

    private mutating func takeThreat(_ daemon: Daemon) throws {
        guard let level = try daemon.ifTold(Varlink.Enrollment.List())?.threatLevel,
            let place = Self.threats.firstIndex(of: level)
        else { return }
        threat = place
    }

    private mutating func takeContainment(_ daemon: Daemon) throws {
        guard mam_landlock_version() != 0 else { return }
        isContaining = try daemon.ifTold(Varlink.Identity.GetContainment()) != nil
    }

    private mutating func takeOrganization(_ daemon: Daemon) throws {
        guard let organization = try daemon.ifTold(Varlink.Fleet.Show())?.organization else {
            return
        }
        (hasJoined, isCurrent) = (true, organization.problem == nil)
        isCompliant = isCompliant && organization.settings.allSatisfy { $0.unmet == nil }
        policySerial = organization.policySerial ?? 0
        policyDays = organization.policyIssued.map { days(currentTime() - $0) } ?? Self.unknownDays
    }

    /// Of a time to come the age is not known: a clock is wrong. Clocks differ by less than an
    /// hour.
    private func days(_ seconds: Int) -> Int {
        seconds < -3600 ? Self.unknownDays : max(0, seconds) / Int(secondsPerDay)
    }

    var json: JSONValue {
        [
            "MamdVersion": .string(version), "MamdMounted": .bool(isMounted),
            "MamdAccountRegistered": .bool(isRegistered), "MamdPolicyApplies": .bool(isCovered),
            "MamdCompliant": .bool(isCompliant), "MamdLocked": .bool(isLocked),
            "MamdClass": .string(protectionClass), "MamdThreatLevel": JSONValue(threat),
            "MamdContained": .bool(isContaining), "MamdFleetJoined": .bool(hasJoined),
            "MamdFleetCurrent": .bool(isCurrent), "MamdPolicySerial": JSONValue(policySerial),
            "MamdPolicyAgeDays": JSONValue(policyDays),
            "MamdCheckInAgeDays": JSONValue(checkInDays),
        ]
    }
}
