// `fleet status --csv`: the columns of Intune's report MAMAppProtectionStatus.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMWire

/// As RFC 4180 has it. Each cell is quoted, and none begins like a formula: who names a machine or
/// an account must not run anything in the administrator's spreadsheet. Where that takes semicolons
/// for separators, as in German, a cell begins after each of these, too, for all quotation marks.
func csv(_ rows: [[String]]) -> String {
    rows.map { row in row.map(cell).joined(separator: ",") + "\r\n" }.joined()
}

private func cell(_ text: String) -> String {
    var quoted = ""
    var isStart = true
    for scalar in text.unicodeScalars {
        if isStart, formulaStarts.contains(scalar) { quoted += "'" }
        if scalar == "\"" { quoted += "\"" } else { isStart = scalar == ";" }
        quoted.unicodeScalars.append(scalar)
    }
    return "\"\(quoted)\""
}

private let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

extension Survey {
    /// Of these machines; one without accounts has a row, too.
    func csv(_ machines: [SurveyedMachine]) -> String {
        mamctl.csv([protectionColumns] + machines.flatMap(\.protectionRows))
    }
}

private let protectionColumns = [
    "User", "Email", "App", "AppVersion", "SdkVersion", "AppInstanceId", "DeviceName",
    "DeviceHealth", "DeviceType", "DeviceManufacturer", "DeviceModel", "AndroidPatchVersion",
    "AADDeviceID", "MDMDeviceID", "Platform", "PlatformVersion", "ManagementType",
    "AppProtectionStatus", "Policy", "LastSync", "ComplianceState",
]

extension SurveyedMachine {
    fileprivate var protectionRows: [[String]] {
        let accounts = status?.accounts ?? []
        return accounts.isEmpty ? [row(nil)] : accounts.map(row)
    }

    /// In the order of the columns; what Linux or mamd has not is empty.
    private func row(_ account: MachineStatus.Account?) -> [String] {
        let name = account.map { excerpt(of: $0.name) } ?? ""
        let version = status.map { excerpt(of: $0.version) } ?? ""
        return [
            name, name.contains("@") ? name : "", "mamd", version, version,
            account?.id.description ?? "", excerpt(of: label),
            state.rawValue, "", "", "", "",
            "", entry.machine.description, "Linux",
            status.map { excerpt(of: $0.facts?.system ?? $0.kernel) } ?? "", "",
            account.map { $0.level == nil ? "Unprotected" : "Protected" } ?? "",
            account?.level.map(excerpt(of:)) ?? "",
            account?.checkedIn.map(rfc3339) ?? "",
            account.map { $0.compliant ? "Compliant" : "Noncompliant" } ?? "",
        ]
    }
}
