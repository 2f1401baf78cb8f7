// What came of requests for help with a forgotten passphrase.

internal import MAMLocks
package import MAMModel

/// Told to the account's next caller. Only in memory: a restart forgets it.
package struct HelpNews: Sendable {
    private let byAccount = Guarded<[AccountID: Message]>([:])

    package func tell(_ news: Message, of account: AccountID) {
        byAccount.withLock { $0[account] = news }
    }

    /// Nil if there is none any more.
    package func take(of account: AccountID) -> Message? {
        byAccount.withLock { $0.removeValue(forKey: account) }
    }
}
