// Whether there are sealed files without an account, and when to search again.

internal import MAMSystem

/// The last result of ``ClaimSearches/needsImport(_:)``.
package struct ImportNeed {
    package private(set) var isFound = false
    private var isSearching = false
    /// Nil once a complete search found none.
    private var nextSearch: Deadline? = .now

    /// The result expires, because those files may be gone and each search starts from scratch.
    private let restSeconds: Int

    package init(restSeconds: Int = 10) { self.restSeconds = restSeconds }

    /// False while the result is valid or another thread is searching.
    package mutating func beginSearch() -> Bool {
        guard !isSearching, let nextSearch, nextSearch.hasPassed else { return false }
        isSearching = true
        return true
    }

    /// `found`: nil if the search was incomplete.
    package mutating func endSearch(_ found: Bool?) {
        isSearching = false
        isFound = found ?? false
        nextSearch = found == false ? nil : Deadline(seconds: restSeconds)
    }
}
