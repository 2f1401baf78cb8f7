// Searches of the tree for whose a name or a key is.

internal import MAMSystem
internal import Synchronization

/// Which searches are under way, and what the last ones found.
package final class ClaimSearches: Sendable {
    private let turns = FairLock()
    private let importNeed = Mutex(ImportNeed())
    private let accountsToAdd = Mutex(AccountsToAdd())

    /// One search at a time, fairly by user. A leaf lock: no other is taken inside.
    package func inTurn<Result, Failure: Error>(
        of user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try turns.withLock(for: user, body)
    }

    /// Whether there are sealed files without an account. `search`: nil if it was incomplete; not
    /// called while the last result is valid, or another thread is at it.
    package func needsImport(_ search: () -> Bool?) -> Bool {
        if importNeed.withLock({ $0.beginSearch() }) {
            let found = search()
            importNeed.withLock { $0.endSearch(found) }
        }
        return importNeed.withLock(\.isFound)
    }

    /// An account was registered.
    package func forgetImportNeed() { importNeed.withLock { $0 = ImportNeed() } }

    /// False if a thread is looking for accounts to add: it does so once more.
    package func beginAdding() -> Bool { accountsToAdd.withLock { $0.begin() } }

    /// True if that thread has to look once more.
    package func isAddingAgain() -> Bool { accountsToAdd.withLock { $0.isAgain() } }

    /// Takes the names of accounts that were not registered, with the reasons; returns the last.
    package func noteLeft(_ reasons: [String: String]) -> [String: String] {
        accountsToAdd.withLock { state in
            defer { state.reasons = reasons }
            return state.reasons
        }
    }
}

/// The search for accounts that policy names but nobody has registered
/// (docs/adr/0047-auto-enrolment.md).
private struct AccountsToAdd {
    /// Nil unless a thread is searching; true if it has to search once more.
    var isSearching: Bool?
    /// The accounts found, with the reason why each was not registered.
    var reasons: [String: String] = [:]

    mutating func begin() -> Bool {
        defer { isSearching = isSearching != nil }
        return isSearching == nil
    }

    mutating func isAgain() -> Bool {
        let isWanted = isSearching == true
        isSearching = isWanted ? false : nil
        return isWanted
    }
}

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
