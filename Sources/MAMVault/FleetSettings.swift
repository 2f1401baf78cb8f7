// What the organisation asks of this machine's settings, and what the machine does not do of it.

internal import CShims
internal import Glibc
internal import MAMEnrollment
package import MAMFleet
package import MAMModel
internal import MAMPolicy
package import MAMSettings

/// The settings documents in force. The strictest of all, and of the machine's own settings, counts
/// (docs/adr/0093-settings-that-are-signed.md).
package struct FleetSettings: Sendable, Equatable {
    package struct Document: Sendable, Equatable {
        package let slot: String
        package let serial: Int64
        package let asked: AskedSettings
    }

    package private(set) var documents: [Document] = []
    /// Those that are not in force, and why: a newer version had accepted them.
    fileprivate var unreadable: [String: String] = [:]

    /// Without an organisation nothing is asked.
    package init(of standing: MachineStanding?) {
        for signed in standing?.settings ?? [] {
            do throws(PolicyError) {
                documents.append(
                    Document(
                        slot: signed.slot.description, serial: signed.statement.serial,
                        asked: try AskedSettings(parsing: signed.content)))
            } catch { unreadable[signed.slot.description] = "it is not understood: \(error)" }
        }
    }

    /// What is not in force, and why; nil: all is.
    package var flaw: String? { unreadable.map { "\($0) is not in force: \($1)" }.min() }

    package func strictest(with own: Settings) -> Settings {
        documents.reduce(own) { $1.asked.strictest(with: $0) }
    }

    /// Whether there is no document, not even one that asks nothing.
    package var isEmpty: Bool { documents.isEmpty && unreadable.isEmpty }

    /// Whom people ask for help. What is for the machine or a group of it counts before what is for
    /// all.
    package var contact: String? {
        documents.filter { $0.asked.contact != nil }.max { $0.slot < $1.slot }?.asked.contact
    }

    /// All keys that are asked for, in order.
    package var keys: [String] { Set(documents.flatMap(\.asked.values.keys)).sorted() }

    package func documents(asking key: String) -> [Document] {
        documents.filter { $0.asked.values[key] != nil }
    }
}

/// One setting that is asked for.
package struct FleetSetting: Sendable {
    /// The document, where that is not understood.
    package let key: String
    /// What is in force, as settings.json has it.
    package let value: JSONValue
    /// Whether the machine's own setting is less strict.
    package let isStricter: Bool
    package let documents: [FleetSettings.Document]
    /// Why the machine does not do it; nil: it does. A clause.
    package let unmet: String?
}

extension Vault {
    package var fleetSettings: [FleetSetting] {
        let (own, settings, asked) = rules.settingsInForce
        let unreadable = asked.unreadable.sorted { $0.key < $1.key }.map { slot, reason in
            FleetSetting(key: slot, value: .null, isStricter: false, documents: [], unmet: reason)
        }
        return unreadable
            + asked.keys.map { key in
                let value = AskedSettings.value(of: key, in: settings)
                return FleetSetting(
                    key: key, value: value,
                    isStricter: value != AskedSettings.value(of: key, in: own),
                    documents: asked.documents(asking: key), unmet: unmet(key, settings))
            }
    }

    /// Why the machine does not do all that is asked; nil: it does. A clause.
    package var unmetSetting: String? {
        fleetSettings.lazy.compactMap { setting in
            setting.unmet.map { "\(setting.key): \($0)" }
        }.first
    }

    /// Those that the organisation asks for. Takes as long as they do.
    package func askProbes() {
        let (_, settings, asked) = rules.settingsInForce
        enrollments.askProbes(asked.keys.filter { settings.probes.command($0) != nil })
    }

    private func unmet(_ key: String, _ settings: Settings) -> String? {
        switch key {
        case "Containment": settings.containment == .off ? nil : uncontained(settings)
        case "ContainedNetwork": settings.containedNetwork == .any ? nil : uncontained(settings)
        case "ContainedTerminalBlocked":
            settings.containedTerminalBlocked ? uncontained(settings) : nil
        case "ContainedNestedRequired":
            settings.containedNestedRequired ? uncontained(settings) : nil
        case "LockOn.SessionLock":
            settings.lockOnSession != .never && !rules.noticesSessions
                ? "nothing tells the daemon of locked screens" : nil
        case "LockOn.Sleep":
            settings.locksOnSleep && !rules.noticesSessions
                ? "nothing tells the daemon of the machine's sleep" : nil
        default:
            settings.probes.unmet(key)
                ?? (settings.probes.command(key) == nil ? nil : enrollments.probeFlaw(key))
        }
    }

    /// Why no program is contained; nil: programs are.
    private func uncontained(_ settings: Settings) -> String? {
        if settings.containment == .off { return "Containment is off" }
        return mam_landlock_version() == 0 ? "the kernel has no Landlock" : nil
    }
}

extension Settings.Probes {
    /// Why a probe cannot be asked. `key`: `Probes.OsVersion`; nil for what names no probe.
    fileprivate func unmet(_ key: String) -> String? {
        guard key.hasPrefix("Probes.") else { return nil }
        guard let program = command(key)?.first else {
            let isStated = key == "Probes.ThreatLevel" && statedThreatLevel != nil
            return isStated ? nil : "it is not configured"
        }
        return access(program, X_OK) == 0 ? nil : "its program cannot be run"
    }
}
