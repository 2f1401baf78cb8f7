// A file of the policy directory that is not in force as it stands there.

/// What is wrong with it, and what holds instead.
package struct RefusedDocument: Sendable, Hashable {
    package let file: String
    /// One sentence.
    package let reason: String
    /// It is an order to wipe in a policy's place. It is carried out, and the policy holds on.
    package let isObeyed: Bool
    /// Since when, in seconds since 1970.
    package var since: Int64
    /// What its file said before holds on; nil if nothing of it is in force.
    package let lastGood: LastGood?

    /// A version of a file that was understood.
    package struct LastGood: Sendable, Hashable {
        /// The names of the documents in it, with their versions.
        package let documents: String
        /// When it came into force, in seconds since 1970.
        package let time: Int64

        package init(documents: String, time: Int64) {
            self.documents = documents
            self.time = time
        }
    }

    package init(
        file: String, reason: String, isObeyed: Bool, since: Int64, lastGood: LastGood?
    ) {
        self.file = file
        self.reason = reason
        self.isObeyed = isObeyed
        self.since = since
        self.lastGood = lastGood
    }
}
