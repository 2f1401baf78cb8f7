// Accounts that policy names but nobody has registered (docs/adr/0047-auto-enrolment.md).

/// The state of the search for unregistered accounts.
package struct AccountsToAdd {
    /// Nil unless a thread is searching; true if it has to search once more.
    package var isSearching: Bool?
    /// The accounts found, with the reason why each was not registered.
    package var reasons: [String: String] = [:]
}
