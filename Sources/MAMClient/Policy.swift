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
        let call = try question.call
        return try service.call(
            "Policy.\(call.method)",
            call.asker.map { call.parameters.adding($0, accountId) } ?? call.parameters, call.files
        ) { reply throws(VarlinkError) in try Decision(reply) }
    }

    /// The answers to all questions that need nothing but the policy.
    public func answers() throws(MAMError) -> [PolicyProperty: Decision] {
        try service.call("Policy.Answers", [:].adding("account", accountId)) {
            reply throws(VarlinkError) in
            var found: [PolicyProperty: Decision] = [:]
            for answer in try reply.objects("answers") {
                // A later daemon may know more.
                guard let property = PolicyProperty(rawValue: try answer.string("question"))
                else { continue }
                found[property] = try Decision(answer)
            }
            return found
        }
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
        try service.call("Policy.NotificationPolicy", [:].adding("account", accountId)) {
            reply throws(VarlinkError) in
            // What is not known restricts most.
            NotificationPolicy(rawValue: try reply.integer("policy")) ?? .block
        }
    }

    /// One of the properties that need nothing but the policy: `try
    /// policy.is(.isContactSyncAllowed)`.
    public func `is`(_ property: PolicyProperty) throws(MAMError) -> Bool {
        try decision(.property(property)).isAllowed
    }
}
