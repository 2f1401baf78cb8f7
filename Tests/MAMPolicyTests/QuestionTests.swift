import MAMModel
import MAMPolicy
import Testing

@Suite struct QuestionTests {
    typealias Configure = @Sendable (inout PolicyRules) -> Void

    struct Row: Sendable {
        let question: PolicyQuestion
        let expected: Bool
        var inputs = QuestionInputs()
        let rule: String?
        let configure: Configure

        init(
            _ question: PolicyQuestion, _ expected: Bool, _ rule: String?,
            _ inputs: QuestionInputs = QuestionInputs(), _ configure: @escaping Configure = { _ in }
        ) {
            self.question = question
            self.expected = expected
            self.rule = rule
            self.inputs = inputs
            self.configure = configure
        }
    }

    static let outbound = "allowedOutboundDataTransferDestinations"
    static let managedApps: Configure = {
        $0.allowedOutboundDataTransferDestinations = .managedApps
    }
    static let none: Configure = { $0.allowedOutboundDataTransferDestinations = .noApps }
    static let devicePin: Configure = {
        $0.pinRequired = true
        $0.disableAppPinIfDevicePinIsSet = true
    }
    static let locked = QuestionInputs(deviceLockIsSet: true)
    static let capture = QuestionInputs(screenCaptureControl: "Disabled")

    static let rows: [Row] = [
        Row(.isPINRequired, false, "pinRequired"),
        Row(.isPINRequired, false, "pinRequired") { $0.pinRequired = false },
        Row(.isPINRequired, true, "pinRequired") { $0.pinRequired = true },
        Row(.isPINRequired, true, "pinRequired", locked) { $0.pinRequired = true },
        Row(.isPINRequired, true, "pinRequired", QuestionInputs(), devicePin),
        Row(.isPINRequired, false, "disableAppPinIfDevicePinIsSet", locked, devicePin),
        Row(.isFileEncryptionRequired, true, "appDataEncryptionType"),
        Row(.shouldFileProviderEncryptFiles, false, outbound),
        Row(.shouldFileProviderEncryptFiles, true, outbound, QuestionInputs(), managedApps),
        Row(.shouldFileProviderEncryptFiles, true, outbound, QuestionInputs(), none),
        Row(.shouldFileProviderEncryptFiles, false, "disableProtectionOfManagedOutboundOpenInData")
        {
            managedApps(&$0)
            $0.disableProtectionOfManagedOutboundOpenInData = true
        },
        Row(.isManagedBrowserRequired, false, "managedBrowserToOpenLinksRequired"),
        Row(.isManagedBrowserRequired, true, "managedBrowserToOpenLinksRequired") {
            $0.managedBrowserToOpenLinksRequired = true
        },
        Row(.isContactSyncAllowed, true, "contactSyncBlocked"),
        Row(.isContactSyncAllowed, false, "contactSyncBlocked") { $0.contactSyncBlocked = true },
        Row(.isWidgetContentSyncAllowed, true, "allowWidgetContentSync"),
        Row(.isWidgetContentSyncAllowed, true, "allowWidgetContentSync") {
            $0.allowWidgetContentSync = true
        },
        Row(.isWidgetContentSyncAllowed, false, "allowWidgetContentSync") {
            $0.allowWidgetContentSync = false
        },
        Row(.isSpotlightIndexingAllowed, true, outbound),
        Row(.isSpotlightIndexingAllowed, false, outbound, QuestionInputs(), managedApps),
        Row(.isSpotlightIndexingAllowed, false, outbound, QuestionInputs(), none),
        Row(.areSiriIntentsAllowed, true, outbound),
        Row(.areSiriIntentsAllowed, false, outbound, QuestionInputs(), managedApps),
        Row(.areAppIntentsAllowed, true, outbound),
        Row(.areAppIntentsAllowed, false, outbound, QuestionInputs(), managedApps),
        Row(.isAppSharingAllowed, true, outbound),
        Row(.isAppSharingAllowed, true, outbound, QuestionInputs(), managedApps),
        Row(.isAppSharingAllowed, false, outbound, QuestionInputs(), none),
        Row(.isScreenCaptureAllowed, true, outbound),
        Row(.isScreenCaptureAllowed, false, outbound, QuestionInputs(), managedApps),
        Row(.isScreenCaptureAllowed, true, nil, capture, managedApps),
        Row(
            .isScreenCaptureAllowed, false, outbound,
            QuestionInputs(screenCaptureControl: "Enabled"), managedApps),
        Row(.isScreenCaptureAllowed, false, "screenCaptureConfigurationState", capture) {
            $0.screenCaptureConfigurationState = .blocked
        },
        Row(.isScreenCaptureAllowed, true, outbound) {
            $0.screenCaptureConfigurationState = .notBlocked
        },
        Row(.isPrintingAllowed, true, "printBlocked"),
        Row(.isPrintingAllowed, false, "printBlocked") { $0.printBlocked = true },
        Row(.isBackupAllowed, true, "dataBackupBlocked"),
        Row(.isBackupAllowed, false, "dataBackupBlocked") { $0.dataBackupBlocked = true },
        Row(.areThirdPartyKeyboardsAllowed, true, "thirdPartyKeyboardsBlocked"),
        Row(.areThirdPartyKeyboardsAllowed, false, "thirdPartyKeyboardsBlocked") {
            $0.thirdPartyKeyboardsBlocked = true
        },
        Row(.isGenmojiAllowed, true, "genmojiConfigurationState"),
        Row(.isGenmojiAllowed, false, "genmojiConfigurationState") {
            $0.genmojiConfigurationState = .blocked
        },
        Row(.areWritingToolsAllowed, true, "writingToolsConfigurationState"),
        Row(.areWritingToolsAllowed, false, "writingToolsConfigurationState") {
            $0.writingToolsConfigurationState = .blocked
        },
    ]

    @Test(arguments: rows.indices)
    func `each property of a managed account`(_ index: Int) throws {
        let row = Self.rows[index]
        let found = try ann(row.configure).answer(row.question, row.inputs)
        #expect(found.isAllowed == row.expected, "\(row.question)")
        #expect(found.rule == row.rule, "\(row.question)")
        #expect(!found.reason.isEmpty)
    }

    @Test func `the table has a row for each question and both answers, but for one`() {
        for question in PolicyQuestion.allCases where question != .isFileEncryptionRequired {
            let answers = Set(Self.rows.filter { $0.question == question }.map(\.expected))
            #expect(answers.count == 2, "\(question)")
        }
    }

    @Test(arguments: PolicyQuestion.allCases)
    func `an unmanaged account is asked for nothing and may everything`(
        _ question: PolicyQuestion
    ) throws {
        let asks =
            ["isPINRequired", "isFileEncryptionRequired", "isManagedBrowserRequired"]
            + ["shouldFileProviderEncryptFiles"]
        let expected = !asks.contains(question.rawValue)
        #expect(try carol().answer(question).isAllowed == expected)
        #expect(Principal.nobody.answer(question).rule == nil)
    }

    /// Columns: import, open, export, move.
    @Test(arguments: [
        (DataTransfers?.none, DataTransfers?.none, "yyyy"), (.managedApps, .managedApps, "yyyy"),
        (.noApps, .allApps, "ynnn"), (.allApps, .noApps, "nyyy"), (.noApps, .noApps, "nnnn"),
    ])
    func `the document picker`(
        _ outbound: DataTransfers?, _ inbound: DataTransfers?, _ row: String
    ) throws {
        let account = try ann {
            $0.allowedOutboundDataTransferDestinations = outbound
            $0.allowedInboundDataTransferSources = inbound
        }
        #expect(letters(DocumentPickerMode.allCases.map(account.canPickDocuments)) == row)
        let own = try carol()
        #expect(letters(DocumentPickerMode.allCases.map(own.canPickDocuments)) == "yyyy")
    }

    @Test(arguments: [
        (NotificationRestriction?.none, 0), (.allow, 0), (.blockOrganizationalData, 1), (.block, 2),
    ])
    func `notifications, by the SDK's number`(
        _ asked: NotificationRestriction?, _ number: Int
    ) throws {
        let found = try ann { $0.notificationRestriction = asked }.notificationPolicy
        #expect(found.place == number)
        #expect(try carol().notificationPolicy == .allow)
    }
}
