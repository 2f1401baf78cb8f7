// What policy says to one account: the SDK's IntuneMAMPolicy. The program that asks is the one that
// can act on it.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// An account's policy. Each question is asked of the daemon anew, so that an answer is never out
/// of date.
public struct Policy: Sendable {
    let service: Service
    /// Nil: of whom the process works for.
    let accountId: String?

    /// The answer to a question, with its reason. The `is…` and `can…` of this type are
    /// `decision(…).isAllowed`.
    public func decision(_ question: PolicyQuestion) throws(MAMError) -> Decision {
        try question.ask(service, about: accountId)
    }

    /// The answers to all questions that need nothing but the policy.
    public func answers() throws(MAMError) -> [PolicyProperty: Decision] {
        let answers = try service.call(Varlink.Policy.Answers(account: accountId)).answers
        var found: [PolicyProperty: Decision] = [:]
        for answer in answers {
            // A later daemon may know more.
            guard let property = PolicyProperty(rawValue: answer.question) else { continue }
            found[property] = Decision(answer.decision)
        }
        return found
    }

    /// May data of this account be saved at a location of `accountId`; nil: of nobody managed.
    public func isSaveToAllowed(
        for location: SaveLocation, accountId: String?
    ) throws(MAMError) -> Bool {
        try decision(.save(to: location, of: accountId)).isAllowed
    }

    /// May this account take in data from a location of `accountId`; nil: of nobody managed.
    public func isOpenFromAllowed(
        for location: OpenLocation, accountId: String?
    ) throws(MAMError) -> Bool {
        try decision(.open(from: location, of: accountId)).isAllowed
    }

    /// May this account receive a file.
    public func canReceiveSharedFile(_ file: FileReference) throws(MAMError) -> Bool {
        try decision(.receive(file)).isAllowed
    }

    /// May a link be opened.
    public func isURLAllowed(
        _ url: String, isKnownManagedAppScheme: Bool = false
    ) throws(MAMError) -> Bool {
        try decision(.url(url, isKnownManagedAppScheme: isKnownManagedAppScheme)).isAllowed
    }

    /// May a link be opened as a universal link alone.
    public func isUniversalLinkAllowed(_ url: String) throws(MAMError) -> Bool {
        try decision(.universalLink(url)).isAllowed
    }

    /// May a document picker be shown.
    public func isDocumentPickerAllowed(_ mode: DocumentPickerMode) throws(MAMError) -> Bool {
        try decision(.documentPicker(mode)).isAllowed
    }

    /// What notifications may show.
    public func notificationPolicy() throws(MAMError) -> NotificationPolicy {
        let reply = try service.call(Varlink.Policy.NotificationPolicy(account: accountId))
        // What is not known restricts most.
        return NotificationPolicy(rawValue: reply.policy) ?? .block
    }

    /// One of the properties that need nothing but the policy: `try
    /// policy.is(.isContactSyncAllowed)`.
    public func `is`(_ property: PolicyProperty) throws(MAMError) -> Bool {
        try decision(.property(property)).isAllowed
    }
}
