// Policy documents and settings: what people and services put into a workspace's configuration.

import MAMModel
import MAMPolicy
import MAMSettings

func checkPolicy(_ bytes: [UInt8]) throws(Violation) {
    let isFaulty = PolicyLint.check(bytes, acceptsLegacy: true).contains { $0.severity == .error }
    let documents: [PolicyDocument]
    do throws(PolicyError) {
        documents = try PolicyDocument.decode(bytes, acceptsLegacy: true)
    } catch {
        try expect(isFaulty, "refused, and nothing is told of it")
        return try expect(!error.description.isEmpty, "no words")
    }
    try expect(!isFaulty, "an error is told of what is accepted")
    try expect(!documents.isEmpty, "no document, and no error")
    try checkMerge(documents)
    try checkWarnings(documents.flatMap(\.warnings) + PolicyBook(documents: documents).warnings)
    // Not from a property list, which is read as well.
    guard let json = try? JSONValue(parsing: bytes) else { return }
    let written = try must("JSON that was read is not read again") {
        try PolicyDocument.decode(json.encoded(), acceptsLegacy: true)
    }
    try expect(written == documents, "other documents when written and read again")
}

private func checkWarnings(_ warnings: [PolicyWarning]) throws(Violation) {
    for warning in warnings { try expect(!warning.description.isEmpty, "no words") }
}

/// Order and repetition mean nothing, and one more document never loosens what the others ask.
private func checkMerge(_ documents: [PolicyDocument]) throws(Violation) {
    let merged = EffectivePolicy.merge(documents)
    try expect(EffectivePolicy.merge(documents.reversed()) == merged, "the order matters")
    try expect(EffectivePolicy.merge(documents + documents) == merged, "repetition matters")
    let halves = [documents.prefix(1), documents.dropFirst()].map {
        EffectivePolicy.merge(Array($0))
    }
    try expect(EffectivePolicy.lockDown(of: halves) == merged, "merging in steps matters")
    try checkShown(merged)
    for document in merged.sources { try checkAtLeast(.merge([document]), merged) }
    for asked in ProtectionClass.allCases {
        let found = Settings().classRule(merged).effectiveClass(asked: asked)
        try expect(found.rawValue <= asked.rawValue, "looser than it was asked for")
    }
}

/// What one document asks, its defaults included, holds among others.
private func checkAtLeast(_ alone: EffectivePolicy, _ merged: EffectivePolicy) throws(Violation) {
    for own in ProtectionClass.allCases {
        var settings = Settings()
        settings.deviceDefaultClass = own
        let classes = [merged, alone].map { settings.classRule($0).policyClass }
        try expect(classes[0].rawValue <= classes[1].rawValue, "a looser class")
    }
    try checkPinAtLeast(alone.pin, merged.pin)
    try checkTransfersAtLeast(.managed(owner, alone), .managed(owner, merged))
    try checkLaunchAtLeast(alone, merged)
}

private func checkTransfersAtLeast(_ alone: Principal, _ merged: Principal) throws(Violation) {
    let answers = [merged, alone].map { principal in
        [1, 1000].map { principal.canCopy(characters: $0, to: nil) }
            + (principal.saveLocations(of: principal) + principal.saveLocations(of: nil)).map(\.1)
            + [principal.canGive(to: .nobody)]
    }
    for (one, other) in zip(answers[0], answers[1]) {
        try expect(!one.isAllowed || other.isAllowed, "more is allowed: \(one.reason.english)")
    }
}

/// Versions are left out: beside one that cannot be compared none wipes.
private func checkLaunchAtLeast(
    _ alone: EffectivePolicy, _ merged: EffectivePolicy
) throws(Violation) {
    var conditions = LaunchConditions(now: 3600)
    (conditions.isCompliant, conditions.clockStatus) = (false, .clockedOut)
    (conditions.clockedOutSince, conditions.deviceModel) = (0, "")
    let findings = merged.launchVerdict(conditions).findings
    for finding in alone.launchVerdict(conditions).findings
    where [.compliance, .clock, .deviceModel].contains(finding.subject) {
        let gravest = findings.filter { $0.subject == finding.subject }.map(\.action).max()
        try expect(gravest.map { $0 >= finding.action } == true, "\(finding.rule) is looser")
    }
}

private func checkPinAtLeast(_ alone: PinRules, _ merged: PinRules) throws(Violation) {
    guard alone.isRequired else { return }
    try expect(merged.isRequired, "no PIN")
    try expect(merged.minimumLength >= alone.minimumLength, "a shorter PIN")
    try expect(merged.maximumRetries <= alone.maximumRetries, "more tries")
    try expect(alone.yieldsToDeviceLock || !merged.yieldsToDeviceLock, "the device's lock")
    guard let wipesAfter = alone.wipesAfter else { return }
    try expect(merged.wipesAfter ?? .max <= wipesAfter, "less after the last try")
}

/// What is shown is itself a document that asks the same.
private func checkShown(_ policy: EffectivePolicy) throws(Violation) {
    let rules = policy.rulesJSON.object ?? [:]
    let values = rules.mapValues { $0.object?["value"] ?? .null }
    guard !values.isEmpty else { return }
    let again = try must("what is shown is not read") {
        try PolicyDocument.decode(JSONValue.object(values).encoded())
    }
    try expect(EffectivePolicy.merge(again) == policy, "what is shown is another policy")
}

func checkSettings(_ bytes: [UInt8]) throws(Violation) {
    try checkAsked(bytes)
    let settings: Settings
    do throws(PolicyError) { settings = try Settings.decode(bytes) } catch {
        return try expect(!error.description.isEmpty, "no words")
    }
    try expect((0...3600).contains(settings.lockGraceSeconds), "grace")
    try expect((1...60).contains(settings.lockDeadlineSeconds), "deadline")
    try expect((0...86_400).contains(settings.idleLockSeconds), "idle time")
    try expect((1...100).contains(settings.keyDerivationPasses), "passes")
    try expect((8...4096).contains(settings.keyDerivationMemoryMiB), "memory")
    let written = try must("settings that were written are not read") {
        try Settings.decode(settings.json.encoded())
    }
    try expect(written == settings, "other settings when written and read again")
    guard let asked = try? AskedSettings(parsing: bytes) else { return }
    // What is the same in settings.json asks nothing more of it, but for programs.
    for key in asked.values.keys {
        let (own, strict) = (settings, asked.strictest(with: settings))
        try expect(
            AskedSettings.value(of: key, in: own) == AskedSettings.value(of: key, in: strict),
            "stricter than itself")
    }
}

/// What an organisation asks makes nothing laxer, and starts or trusts no program.
private func checkAsked(_ bytes: [UInt8]) throws(Violation) {
    let asked: AskedSettings
    do throws(PolicyError) { asked = try AskedSettings(parsing: bytes) } catch {
        return try expect(!error.description.isEmpty, "no words")
    }
    var lax = Settings()
    (lax.containment, lax.containedNetwork, lax.lockOnSession) = (.off, .any, .never)
    (lax.locksOnSleep, lax.trustedPrograms) = (false, ["/usr/bin/scan"])
    for own in [Settings(), lax] {
        let strict = asked.strictest(with: own)
        try expect(asked.strictest(with: strict) == strict, "asked twice, it asks more")
        try expect((strict.hooks, strict.probes) == (own.hooks, own.probes), "another program")
        try expect(
            Set(strict.trustedPrograms).isSubset(of: own.trustedPrograms), "a trusted program")
        try expect(strict.lockGraceSeconds <= own.lockGraceSeconds, "a longer grace")
        try expect(own.locksOnSleep ? strict.locksOnSleep : true, "no lock before sleep")
    }
    try expect(asked.keysLaxer(in: asked).isEmpty, "laxer than itself")
}
