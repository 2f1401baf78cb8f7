// Decisions: any policy, and any text that a program may ask about.

import MAMModel
import MAMPolicy

func checkDecisions(_ bytes: [UInt8]) throws(Violation) {
    var choices = Choices(bytes)
    let rules = PolicyRules(choosing: &choices)
    let count = Int(truncatingIfNeeded: choices.wide())
    let rest = choices.all()
    let text = String(decoding: rest, as: UTF8.self)
    // Most permissive first: what one allows, all before it allow too.
    let owners: [Principal] = [DataTransfers.allApps, .managedApps, .noApps].map {
        var rules = rules
        rules.allowedOutboundDataTransferDestinations = $0
        rules.allowedInboundDataTransferSources = $0
        var document = PolicyDocument()
        document.rules = rules
        return .managed(owner, .merge([document]))
    }
    try checkOrder(owners) { answers(of: $0, about: text, count) }
    for owner in owners { try checkLink(owner, text) }
    try checkPin(owners[0].policy.pin, rest)
    try checkLaunch(owners[0].policy, text)
}

let owner = prepared { try Identity(name: "ann@contoso.com") }

private func answers(of principal: Principal, about text: String, _ count: Int) -> [Decision] {
    let locations = principal.saveLocations(of: principal) + principal.saveLocations(of: nil)
    let sources = principal.openLocations(of: principal) + principal.openLocations(of: nil)
    let known = LinkInputs(isKnownManagedScheme: true, managedSchemes: [text])
    return locations.map(\.1) + sources.map(\.1)
        + PolicyQuestion.allCases.filter { $0 != .shouldFileProviderEncryptFiles }
        .map { principal.answer($0, QuestionInputs(screenCaptureControl: text)) }
        + DocumentPickerMode.allCases.map(principal.canPickDocuments)
        + [
            principal.canReceiveItem(of: nil),
            principal.canGive(to: .nobody),
            principal.canCopy(characters: count, to: nil),
            principal.canPaste(characters: count, from: nil),
            principal.shareOffer(toManagedProgram: true).decision,
            principal.canOpenURL(text, known).decision,
            principal.canOpenUniversalLink(text).decision,
        ]
}

private func checkOrder(
    _ owners: [Principal], _ answers: (Principal) -> [Decision]
) throws(Violation) {
    let all = owners.map(answers)
    for (looser, stricter) in zip(all, all.dropFirst()) {
        for (one, other) in zip(looser, stricter) {
            try expect(!one.reason.isEmpty, "no reason")
            try expect(
                one.isAllowed || !other.isAllowed, "stricter, and yet: \(other.reason.english)")
        }
    }
}

/// A link that opens keeps all but its scheme, and is a link again if it is led elsewhere.
private func checkLink(_ principal: Principal, _ text: String) throws(Violation) {
    for answer in [principal.canOpenURL(text), principal.canOpenUniversalLink(text)] {
        try expect(answer.decision.isAllowed == (answer.opens != nil), "an answer without a link")
        guard let opens = answer.opens, opens != text else { continue }
        try expect(URLText(opens) != nil, "led to what is no link")
        let (tail, other) = (text.utf8.drop { $0 != 0x3A }, opens.utf8.drop { $0 != 0x3A })
        try expect(tail.elementsEqual(other), "led to another place")
    }
}

/// Forbidding more never accepts more.
private func checkPin(_ rules: PinRules, _ bytes: [UInt8]) throws(Violation) {
    var strict = rules
    strict.isRequired = true
    strict.blocksSimple = true
    strict.characters = .alphanumericAndSymbol
    let (found, strictly) = bytes.withUnsafeBytes { (rules.flaw(in: $0), strict.flaw(in: $0)) }
    try expect(found == nil || strictly != nil, "stricter, and yet good")
    try expect(found?.description.isEmpty != true, "no words")
}

/// A wipe needs two versions that can be compared.
private func checkLaunch(_ policy: EffectivePolicy, _ text: String) throws(Violation) {
    var conditions = LaunchConditions(now: 0)
    (conditions.osVersion, conditions.deviceModel) = (text, text)
    let verdict = policy.launchVerdict(conditions)
    try expect(
        verdict.findings.map(\.action) == verdict.findings.map(\.action).sorted(by: >), "no order")
    let isComparable = VersionNumber(text) != nil
    try expect(
        isComparable
            || !verdict.findings.contains { $0.action == .wipe && $0.subject == .osVersion },
        "wiped for what is no version")
}

extension PolicyRules {
    /// The other rules than the transfer levels.
    fileprivate init(choosing choices: inout Choices) {
        self.init()
        saveAsBlocked = choices.flag()
        allowedDataStorageLocations = StorageLocation.allCases.filter { _ in choices.flag() }
        blockDataIngestionIntoOrganizationDocuments = choices.flag()
        allowedDataIngestionLocations = IngestionLocation.allCases.filter { _ in choices.flag() }
        allowedOutboundClipboardSharingLevel = choices.one(of: ClipboardSharing.allCases)
        allowedOutboundClipboardSharingExceptionLength = Int(choices.word())
        disableProtectionOfManagedOutboundOpenInData = choices.flag()
        managedBrowserToOpenLinksRequired = choices.flag()
        customBrowserProtocol = choices.text()
        exemptedAppProtocols = [NamedValue(name: "", value: choices.text())]
        managedUniversalLinks = [choices.text()]
        exemptedUniversalLinks = [choices.text()]
        dialerRestrictionLevel = choices.one(of: PhoneNumberRedirect.allCases)
        customDialerAppProtocol = choices.text()
        protectedMessagingRedirectAppType = choices.one(of: MessagingRedirect.allCases)
        messagingRedirectAppUrlScheme = choices.text()
        pinRequired = choices.flag()
        simplePinBlocked = choices.flag()
        pinCharacterSet = choices.one(of: PinCharacters.allCases)
        minimumPinLength = Int(choices.byte())
        minimumWipeOsVersion = choices.text()
        maximumRequiredOsVersion = choices.text()
        allowedIosDeviceModels = choices.text()
    }
}

extension Choices {
    fileprivate mutating func one<Choice>(of all: [Choice]) -> Choice {
        all[number(below: all.count)]
    }

    /// Short, so that much of the input is left for what is asked about.
    fileprivate mutating func text() -> String {
        String(decoding: bytes(number(below: 24)), as: UTF8.self)
    }
}
