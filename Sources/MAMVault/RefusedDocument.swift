// A policy file whose current content is not in force.

/// What is wrong with it, and what is in force instead.
package struct RefusedDocument: Sendable, Hashable {
    package let file: String
    /// One sentence.
    package let reason: String
    /// A wipe order replaced the policy. It is carried out, and the policy stays in force.
    package let isObeyed: Bool
    /// Since when, in seconds since 1970.
    package var since: Int64
    /// The previous content, which stays in force; nil if none of it does.
    package let lastGood: LastGood?

    /// The last valid version of a file.
    package struct LastGood: Sendable, Hashable {
        /// The names and versions of its documents.
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
