// An account's policy: the SDK's IntuneMAMPolicy. The asking program has to follow the answers.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// An account's policy. Every question is a new request to the daemon, so answers are never
/// outdated.
public struct Policy: Sendable {
    let service: Service
    /// Nil: the identity that the process acts for.
    let accountId: String?

    /// The answer to a question, with its reason. The `is…` and `can…` functions of this type
    /// return `decision(…).isAllowed`.
    public func decision(_ question: PolicyQuestion) throws(MAMError) -> Decision {
        try question.ask(service, about: accountId)
    }

    /// The answers to all questions that depend only on the policy.
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

    /// Whether this account's data may be saved at a location of `accountId`; nil: of an unmanaged
    /// identity.
    public func isSaveToAllowed(
        for location: SaveLocation, accountId: String?
    ) throws(MAMError) -> Bool {
        try decision(.save(to: location, of: accountId)).isAllowed
    }

    /// Whether this account may open data from a location of `accountId`; nil: of an unmanaged
    /// identity.
    public func isOpenFromAllowed(
        for location: OpenLocation, accountId: String?
    ) throws(MAMError) -> Bool {
        try decision(.open(from: location, of: accountId)).isAllowed
    }

    /// Whether this account may receive a file.
    public func canReceiveSharedFile(_ file: FileReference) throws(MAMError) -> Bool {
        try decision(.receive(file)).isAllowed
    }

    /// Whether a link may be opened.
    public func isURLAllowed(
        _ url: String, isKnownManagedAppScheme: Bool = false
    ) throws(MAMError) -> Bool {
        try decision(.url(url, isKnownManagedAppScheme: isKnownManagedAppScheme)).isAllowed
    }

    /// Whether a link may be opened as a universal link only.
    public func isUniversalLinkAllowed(_ url: String) throws(MAMError) -> Bool {
        try decision(.universalLink(url)).isAllowed
    }

    /// Whether a document picker may be shown.
    public func isDocumentPickerAllowed(_ mode: DocumentPickerMode) throws(MAMError) -> Bool {
        try decision(.documentPicker(mode)).isAllowed
    }

    /// What notifications may show.
    public func notificationPolicy() throws(MAMError) -> NotificationPolicy {
        let reply = try service.call(Varlink.Policy.NotificationPolicy(account: accountId))
        // What is not known restricts most.
        return NotificationPolicy(rawValue: reply.policy) ?? .block
    }

    /// A property that depends only on the policy: `try policy.is(.isContactSyncAllowed)`.
    public func `is`(_ property: PolicyProperty) throws(MAMError) -> Bool {
        try decision(.property(property)).isAllowed
    }
}
