import MAMModel
import MAMPolicy
import Testing

/// One document more never loosens what another one asks by itself, what it leaves open included.
@Suite struct StricterTests {
    /// Each asks for something, and leaves open what belongs to it.
    static let asking = [
        #"{"contactSyncBlocked": false}"#, #"{"pinRequired": true}"#,
        #"{"pinRequired": true, "pinRequiredInsteadOfBiometricTimeout": "PT30M"}"#,
        #"{"deviceComplianceRequired": true}"#,
        #"{"periodOfflineBeforeWipeIsEnforced": "P90D"}"#,
        #"{"allowedIosDeviceModels": "iPhone 15"}"#,
        #"{"maximumAllowedDeviceThreatLevel": "low"}"#,
        #"{"appActionIfAccountIsClockedOut": "block"}"#,
        #"{"appActionIfAccountIsClockedOut": "warn"}"#,
        #"{"allowedOutboundDataTransferDestinations": "managedApps"}"#,
        #"{"allowedOutboundDataTransferDestinations": "none"}"#,
        #"{"allowedOutboundDataTransferDestinations": "managedApps", "saveAsBlocked": true}"#,
        #"""
        {"allowedInboundDataTransferSources": "managedApps",
        "blockDataIngestionIntoOrganizationDocuments": true}
        """#,
        #"{"allowedOutboundClipboardSharingLevel": "managedApps"}"#,
        #"{"managedBrowserToOpenLinksRequired": true}"#,
        #"{"managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "zoo"}"#,
        #"{"managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "~"}"#,
        #"""
        {"allowedOutboundDataTransferDestinations": "managedApps",
        "dialerRestrictionLevel": "customApp",
        "protectedMessagingRedirectAppType": "specificApps"}
        """#,
        #"""
        {"allowedOutboundDataTransferDestinations": "managedApps",
        "dialerRestrictionLevel": "customApp",
        "protectedMessagingRedirectAppType": "specificApps",
        "customDialerAppProtocol": "~", "messagingRedirectAppUrlScheme": "~"}
        """#,
    ]

    /// Each states one property more: the values of the other table, and some that are looser than
    /// what is meant by saying nothing.
    static let stating: [(String, String)] =
        RuleFieldTests.pairs.flatMap { [($0.0, $0.1), ($0.0, $0.2)] } + [
            ("minimumPinLength", "1"), ("maximumPinRetries", "60000"),
            ("appActionIfDeviceComplianceRequired", #""warn""#),
            ("appActionIfIosDeviceModelNotAllowed", #""warn""#),
            ("mobileThreatDefenseRemediationAction", #""warn""#),
            ("gracePeriodToBlockAppsDuringOffClockHours", #""P30D""#),
            ("pinRequiredInsteadOfBiometricTimeout", #""PT0S""#),
            ("customBrowserProtocol", #""web""#), ("customDialerAppProtocol", #""foo""#),
            ("messagingRedirectAppUrlScheme", #""foo""#),
            ("exemptedAppProtocols", #"[{"name": "x", "value": "foo"}]"#),
            ("managedUniversalLinks", #"["https://a/*"]"#),
            ("allowedDataStorageLocations", #"["box", "localStorage", "photoLibrary"]"#),
            ("allowedDataIngestionLocations", #"["camera", "sharePoint"]"#),
        ]

    /// Those documents, alone and with everything asked for beside the property.
    private static let others: [(text: String, document: PolicyDocument)] = stating.flatMap {
        (key, value) in
        let members = [(key, value)] + everything.filter { $0.0 != key }
        let texts = members.map { "\"\($0)\": \($1)" }
        return ["{\(texts[0])}", "{\(texts.joined(separator: ", "))}"].compactMap { text in
            (try? PolicyDocument.decode(Array(text.utf8)))?.first.map { (text, $0) }
        }
    }

    @Test(arguments: asking)
    func `one document more never loosens what another leaves open`(_ text: String) throws {
        #expect(Self.others.count == 2 * Self.stating.count)
        try expectNothingLooser(text, beside: Self.others)
    }

    @Test(arguments: RuleFieldTests.pairs)
    func `one document more never loosens what another states`(
        _ key: String, _ loose: String, _ strict: String
    ) throws {
        let others = Self.others.filter { $0.text.hasPrefix("{\"\(key)\"") }
        for value in [loose, strict] {
            try expectNothingLooser("{\"\(key)\": \(value)}", beside: others)
        }
    }

    private func expectNothingLooser(
        _ text: String, beside others: [(text: String, document: PolicyDocument)]
    ) throws {
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        let alone = try Outlook(.merge([document]))
        for other in others {
            let looser = try Outlook(.merge([document, other.document])).looser(than: alone)
            #expect(looser.isEmpty, "\(other.text)")
        }
    }

    private static let everything = [
        ("pinRequired", "true"), ("deviceComplianceRequired", "true"), ("saveAsBlocked", "true"),
        ("allowedIosDeviceModels", #""iPhone 15;iPhone 16""#),
        ("maximumAllowedDeviceThreatLevel", #""low""#),
        ("appActionIfAccountIsClockedOut", #""warn""#),
        ("managedBrowserToOpenLinksRequired", "true"),
        ("allowedOutboundDataTransferDestinations", #""managedApps""#),
        ("allowedInboundDataTransferSources", #""managedApps""#),
        ("blockDataIngestionIntoOrganizationDocuments", "true"),
        ("allowedOutboundClipboardSharingLevel", #""managedApps""#),
        ("dialerRestrictionLevel", #""customApp""#),
        ("protectedMessagingRedirectAppType", #""specificApps""#),
    ]
}

/// Everything that a policy answers, as numbers: more is stricter.
private struct Outlook {
    private var strictness: [String: Int64] = [:]

    init(_ policy: EffectivePolicy) throws {
        let principal = Principal.managed(try Identity(name: "ann@contoso.com"), policy)
        noteQuestions(principal)
        noteTransfers(principal)
        noteLinks(principal)
        noteLaunch(policy)
        notePin(policy)
        noteTimes(policy)
        for own in ProtectionClass.allCases {
            let found = policy.policyClass(deviceDefault: own)
            strictness["class, device \(own)"] = -Int64(found.rawValue)
        }
    }

    func looser(than other: Outlook) -> [String] {
        other.strictness.filter { strictness[$0.key, default: .min] < $0.value }.map(\.key).sorted()
    }

    private mutating func note(_ name: String, _ isStrict: Bool) {
        strictness[name] = isStrict ? 1 : 0
    }

    private mutating func noteQuestions(_ principal: Principal) {
        let demands: [PolicyQuestion] = [
            .isPINRequired, .isFileEncryptionRequired, .shouldFileProviderEncryptFiles,
            .isManagedBrowserRequired,
        ]
        for question in PolicyQuestion.allCases {
            let found = principal.answer(question, QuestionInputs(deviceLockIsSet: true)).isAllowed
            note(question.rawValue, demands.contains(question) == found)
        }
        strictness["notifications"] = Int64(principal.notificationPolicy.place)
    }

    private mutating func noteTransfers(_ principal: Principal) {
        for (place, answer) in principal.saveLocations(of: principal) {
            note("save to \(place)", !answer.isAllowed)
        }
        for (place, answer) in principal.openLocations(of: principal) {
            note("open from \(place)", !answer.isAllowed)
        }
        note("receive", !principal.canReceiveFile(of: nil).decision.isAllowed)
        note("be read", !principal.isReadable(by: .nobody))
        // A program that is offered something sealed cannot read it.
        for isManaged in [true, false] {
            let offer = principal.shareOffer(toManagedProgram: isManaged)
            note("share \(isManaged)", !offer.decision.isAllowed || offer.isSealed)
        }
        for count in [0, 10, 100_000] {
            note("copy \(count)", !principal.canCopy(characters: count, to: nil).isAllowed)
            note(
                "copy to itself \(count)",
                !principal.canCopy(characters: count, to: principal).isAllowed)
            note("paste \(count)", !principal.canPaste(characters: count, from: nil).isAllowed)
        }
    }

    /// A link that may be opened anywhere is looser than one that is led to some program, whichever
    /// that is. A managed browser's own scheme is not asked about: it opens what `https` does.
    private mutating func noteLinks(_ principal: Principal) {
        for link in ["https://a/x", "https://b/x", "tel:1", "sms:1", "skype:x", "foo:x", "zoo:x"] {
            for (kind, found) in [
                ("", principal.canOpenURL(link)),
                ("universal ", principal.canOpenUniversalLink(link)),
            ] {
                strictness["\(kind)\(link)"] =
                    found.opens == nil ? 2 : found.opens == link ? 0 : 1
            }
        }
    }

    /// Under what is wrong in every way, and long after the end of work.
    private mutating func noteLaunch(_ policy: EffectivePolicy) {
        var conditions = LaunchConditions(now: 86_400)
        (conditions.osVersion, conditions.appVersion) = ("9", "9")
        (conditions.sdkVersion, conditions.deviceModel) = ("9", "Model T")
        (conditions.isCompliant, conditions.canAuthenticate) = (false, false)
        (conditions.threatLevel, conditions.clockStatus) = (.high, .clockedOut)
        conditions.clockedOutSince = 0
        let actions = Dictionary(
            grouping: policy.launchVerdict(conditions).findings, by: \.subject)
        for subject in LaunchSubject.allCases {
            let gravest = actions[subject]?.map(\.action).max()
            let place = gravest.flatMap { LaunchAction.allCases.firstIndex(of: $0) }
            strictness["\(subject)"] = Int64(place ?? -1)
        }
    }

    private mutating func notePin(_ policy: EffectivePolicy) {
        let pin = policy.pin
        if pin.isRequired || policy.rules.periodOfflineBeforeWipeIsEnforced != nil {
            strictness["tries"] = -Int64(pin.maximumRetries)
        }
        guard pin.isRequired else { return }
        strictness["PIN"] = Int64(pin.minimumLength)
        note("letters in it", pin.characters == .alphanumericAndSymbol)
        note("no simple one", pin.blocksSimple)
        note("not the device's", !pin.yieldsToDeviceLock)
        note("wipe after it", pin.wipesAfter != nil)
        strictness["others before"] = Int64(pin.previousBlockCount)
        strictness["its end"] = -(pin.expirySeconds ?? .max)
        strictness["fingers no more"] = -(pin.biometricOverrideSeconds ?? .max)
    }

    private mutating func noteTimes(_ policy: EffectivePolicy) {
        let rules = policy.rules
        for (name, period) in [
            ("offline", rules.periodOfflineBeforeAccessCheck),
            ("online", rules.periodOnlineBeforeAccessCheck),
            ("wipe", rules.periodOfflineBeforeWipeIsEnforced),
        ] {
            let seconds = period?.seconds ?? 0
            strictness[name] = -(seconds == 0 ? .max : seconds)
        }
    }
}
