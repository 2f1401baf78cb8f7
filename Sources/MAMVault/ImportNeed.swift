// What is known of sealed files without an account, and when it is looked for again.

internal import MAMSystem

/// What ``Vault/needsImport`` found last.
package struct ImportNeed {
    package private(set) var isFound = false
    private var isSearching = false
    /// Nil once the whole tree was seen, and had none.
    private var nextSearch: Deadline? = .now

    /// For files that were there may have gone, and the search starts anew each time.
    private let restSeconds: Int

    package init(restSeconds: Int = 10) { self.restSeconds = restSeconds }

    /// False while what is known still counts, and while another thread searches.
    package mutating func beginSearch() -> Bool {
        guard !isSearching, let nextSearch, nextSearch.hasPassed else { return false }
        isSearching = true
        return true
    }

    /// `found`: nil if not the whole tree was seen.
    package mutating func endSearch(_ found: Bool?) {
        isSearching = false
        isFound = found ?? false
        nextSearch = found == false ? nil : Deadline(seconds: restSeconds)
    }
}
