// From settings.json. A wrong value is an error, not a default: it may have been meant to be strict.

internal import MAMModel

extension Settings {
    /// An hour: past that a grace period is no lock.
    private static let graceSeconds: ClosedRange<Int64> = 0...3600
    /// Past a minute nobody who locked waits for the answer.
    private static let deadlineSeconds: ClosedRange<Int64> = 1...60
    private static let idleSeconds: ClosedRange<Int64> = 0...86_400
    /// Past 100 passes and 4 GiB a typing error is more likely than a wish.
    private static let passes: ClosedRange<Int64> = 1...100
    private static let memoryMiB: ClosedRange<Int64> = 8...4096

    /// Reads one object.
    package static func decode(_ bytes: [UInt8]) throws(PolicyError) -> Settings {
        guard let json = (try? JSONValue(parsing: bytes)) else { throw .notJSON }
        guard case .object(let fields) = json else { throw .notADocument(found: json.kind) }
        var reader = Reader(fields)
        var settings = Settings()
        if let value = try reader.bool("MultiIdentity") { settings.multiIdentity = value }
        if let value = try protectionClass("MaxFileProtectionLevel", &reader) {
            settings.maximumClass = value
        }
        if let value = try reader.integer("LockGraceSeconds", in: graceSeconds) {
            settings.lockGraceSeconds = Int(value)
        }
        if let value = try reader.integer("LockDeadlineSeconds", in: deadlineSeconds) {
            settings.lockDeadlineSeconds = Int(value)
        }
        if let value = try protectionClass("DeviceDefaultProtectionLevel", &reader) {
            settings.deviceDefaultClass = value
        }
        let nested = try settings.readKeyDerivation(&reader) + settings.readLockOn(&reader)
        settings.warnings = reader.allWarnings() + nested
        return settings
    }

    private mutating func readKeyDerivation(
        _ reader: inout Reader
    ) throws(PolicyError) -> [PolicyWarning] {
        guard var derivation = try reader.object("KeyDerivation") else { return [] }
        if let value = try derivation.integer("Passes", in: Self.passes) {
            keyDerivationPasses = UInt32(value)
        }
        if let value = try derivation.integer("MemoryMiB", in: Self.memoryMiB) {
            keyDerivationMemoryMiB = UInt32(value)
        }
        return derivation.allWarnings(within: "KeyDerivation.")
    }

    private mutating func readLockOn(
        _ reader: inout Reader
    ) throws(PolicyError) -> [PolicyWarning] {
        guard var triggers = try reader.object("LockOn") else { return [] }
        if let value = try Self.choice("SessionLock", &triggers, named: \SessionLock.rawValue) {
            lockOnSession = value
        }
        if let value = try Self.choice("Sleep", &triggers, named: \SleepLock.rawValue) {
            locksOnSleep = value == .now
        }
        if let value = try triggers.integer("IdleSeconds", in: Self.idleSeconds) {
            idleLockSeconds = Int(value)
        }
        return triggers.allWarnings(within: "LockOn.")
    }

    private enum SleepLock: String, CaseIterable {
        case now, never
    }

    /// Apple's names only: `MaxFileProtectionLevel` is spelled as in an app's `IntuneMAMSettings`.
    private static func protectionClass(
        _ key: String, _ reader: inout Reader
    ) throws(PolicyError) -> ProtectionClass? {
        try choice(key, &reader, named: \ProtectionClass.appleName)
    }

    private static func choice<Choice: CaseIterable>(
        _ key: String, _ reader: inout Reader, named name: (Choice) -> String
    ) throws(PolicyError) -> Choice? {
        guard let text = try reader.text(key) else { return nil }
        guard let found = Choice.allCases.first(where: { name($0) == text }) else {
            let names = Choice.allCases.map(name).joined(separator: ", ")
            throw .value(key: key, expected: "one of \(names)")
        }
        return found
    }
}
