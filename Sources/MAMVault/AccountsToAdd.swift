// What is known of accounts that nobody registered (docs/adr/0047-auto-enrolment.md).

/// Of the accounts that nobody registered.
package struct AccountsToAdd {
    /// A thread looks for them now; true if they are to be looked for once more.
    package var isSearching: Bool?
    /// Those that were named, each with why it was not registered.
    package var reasons: [String: String] = [:]
}
