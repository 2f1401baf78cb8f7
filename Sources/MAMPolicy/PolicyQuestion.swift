// The boolean properties of `IntuneMAMPolicy`, in one table.

package import MAMModel

/// A question that only the policy decides. The raw value is the SDK's name, or a similar one for
/// questions that programs ask iOS.
package enum PolicyQuestion: String, Sendable, CaseIterable {
    case isPINRequired
    case isFileEncryptionRequired
    case shouldFileProviderEncryptFiles
    case isManagedBrowserRequired
    case isContactSyncAllowed
    case isWidgetContentSyncAllowed
    case isSpotlightIndexingAllowed
    case areSiriIntentsAllowed
    case areAppIntentsAllowed
    case isAppSharingAllowed
    case isScreenCaptureAllowed
    case isPrintingAllowed
    case isBackupAllowed
    case areThirdPartyKeyboardsAllowed
    case isGenmojiAllowed
    case areWritingToolsAllowed
}

/// Additional inputs of some questions.
package struct QuestionInputs: Sendable {
    /// The device has its own lock code.
    package var deviceLockIsSet: Bool
    /// The app configuration's value for `com.microsoft.intune.mam.screencapturecontrol`.
    package var screenCaptureControl: String?

    package init(deviceLockIsSet: Bool = false, screenCaptureControl: String? = nil) {
        self.deviceLockIsSet = deviceLockIsSet
        self.screenCaptureControl = screenCaptureControl
    }

    /// The key in the app configuration.
    package static let screenCaptureKey = "com.microsoft.intune.mam.screencapturecontrol"
}

/// `UIDocumentPickerMode`; the raw value is the SDK's number.
package enum DocumentPickerMode: Int, Sendable, CaseIterable {
    case `import`, open, exportToService, moveToService
}

extension Principal {
    package func answer(
        _ question: PolicyQuestion, _ inputs: QuestionInputs = QuestionInputs()
    ) -> Decision {
        guard isManaged else { return unmanagedAnswer(question) }
        return switch question {
        case .isPINRequired: isPINRequired(inputs)
        case .isFileEncryptionRequired:
            .yes("files of managed accounts are always encrypted", by: "appDataEncryptionType")
        case .shouldFileProviderEncryptFiles: shouldFileProviderEncrypt
        case .isManagedBrowserRequired:
            flag(
                rules.managedBrowserToOpenLinksRequired == true,
                by: "managedBrowserToOpenLinksRequired")
        case .isContactSyncAllowed: unless(rules.contactSyncBlocked, "contactSyncBlocked")
        case .isWidgetContentSyncAllowed:
            flag(rules.allowWidgetContentSync != false, by: "allowWidgetContentSync")
        case .isSpotlightIndexingAllowed, .areSiriIntentsAllowed, .areAppIntentsAllowed:
            flag(policy.sendsToAll, by: Rule.outbound)
        case .isAppSharingAllowed: flag(policy.outbound != .noApps, by: Rule.outbound)
        case .isScreenCaptureAllowed: isScreenCaptureAllowed(inputs)
        case .isPrintingAllowed: unless(rules.printBlocked, "printBlocked")
        case .isBackupAllowed: unless(rules.dataBackupBlocked, "dataBackupBlocked")
        case .areThirdPartyKeyboardsAllowed:
            unless(rules.thirdPartyKeyboardsBlocked, "thirdPartyKeyboardsBlocked")
        case .isGenmojiAllowed:
            unless(rules.genmojiConfigurationState == .blocked, "genmojiConfigurationState")
        case .areWritingToolsAllowed:
            unless(
                rules.writingToolsConfigurationState == .blocked, "writingToolsConfigurationState")
        }
    }

    /// Whether a document picker may be shown in this mode: an import receives data, all others
    /// send it.
    package func canPickDocuments(_ mode: DocumentPickerMode) -> Decision {
        guard isManaged else { return freedom }
        return mode == .import
            ? flag(policy.inbound != .noApps, by: Rule.inbound)
            : flag(policy.outbound != .noApps, by: Rule.outbound)
    }

    /// `notificationPolicy`.
    package var notificationPolicy: NotificationRestriction {
        rules.notificationRestriction ?? .allow
    }

    private func unmanagedAnswer(_ question: PolicyQuestion) -> Decision {
        switch question {
        case .isPINRequired, .isFileEncryptionRequired, .shouldFileProviderEncryptFiles,
            .isManagedBrowserRequired:
            .no(freedom.reason)
        default: freedom
        }
    }

    private func isPINRequired(_ inputs: QuestionInputs) -> Decision {
        guard rules.pinRequired == true else { return flag(false, by: "pinRequired") }
        guard rules.disableAppPinIfDevicePinIsSet == true, inputs.deviceLockIsSet else {
            return flag(true, by: "pinRequired")
        }
        return .no("the device's own lock is enough", by: "disableAppPinIfDevicePinIsSet")
    }

    private var shouldFileProviderEncrypt: Decision {
        if policy.sendsToAll { return flag(false, by: Rule.outbound) }
        guard rules.disableProtectionOfManagedOutboundOpenInData != true else {
            return flag(false, by: "disableProtectionOfManagedOutboundOpenInData")
        }
        return flag(true, by: Rule.outbound)
    }

    private func isScreenCaptureAllowed(_ inputs: QuestionInputs) -> Decision {
        guard rules.screenCaptureConfigurationState != .blocked else {
            return flag(false, by: "screenCaptureConfigurationState")
        }
        guard inputs.screenCaptureControl?.lowercased() != "disabled" else {
            return .yes(
                "the app configuration sets \(QuestionInputs.screenCaptureKey) to Disabled")
        }
        return flag(policy.sendsToAll, by: Rule.outbound)
    }

    private func unless(_ isBlocked: Bool?, _ rule: String) -> Decision {
        flag(isBlocked != true, by: rule)
    }

    private func flag(_ isYes: Bool, by rule: String) -> Decision {
        Decision(
            isAllowed: isYes, reason: "\(rule) in the policy of \(identity) decides", rule: rule)
    }
}
