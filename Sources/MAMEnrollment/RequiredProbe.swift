// Probes that an organisation asks for, whether a policy has conditions on them or not.

internal import MAMModel
internal import MAMPolicy
package import MAMSettings
internal import MAMSystem

extension Settings.Probes {
    /// The program of a setting, such as `Probes.OsVersion`; nil without one, or for another
    /// setting.
    package func command(_ key: String) -> [String]? {
        switch key {
        case "Probes.OsVersion": osVersion
        case "Probes.AppVersion": appVersion
        case "Probes.SdkVersion": sdkVersion
        case "Probes.DeviceModel": deviceModel
        case "Probes.Compliance": compliance
        case "Probes.ClockStatus": clockStatus
        case "Probes.ThreatLevel": threatLevel
        default: nil
        }
    }
}

extension LaunchProbes {
    /// Runs the probe of a setting. Returns why its answer is of no use, as a clause; nil: it is,
    /// or there is no such probe.
    package func flaw(of key: String) -> String? {
        guard let command = settings.command(key) else { return nil }
        let result = result(of: command)
        guard let answer = result.answer else {
            return result.hasSucceeded
                ? "its program answers nothing" : "its program failed: \(result.description)"
        }
        return Self.isAnswer(answer, to: key) ? nil : "its program's answer is not understood"
    }

    private static func isAnswer(_ text: String, to key: String) -> Bool {
        switch key {
        case "Probes.OsVersion", "Probes.AppVersion", "Probes.SdkVersion":
            VersionNumber(text) != nil
        case "Probes.Compliance": complianceWords[text] != nil
        case "Probes.ClockStatus": clockWords[text] != nil
        case "Probes.ThreatLevel": ThreatLevel(rawValue: text) != nil
        default: true
        }
    }
}

extension CommandResult {
    fileprivate var hasSucceeded: Bool {
        if case .ended(.exited(0), _) = self { true } else { false }
    }
}
