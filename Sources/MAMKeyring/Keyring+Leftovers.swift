// New keybags that are to be taken back: what may be left of them, and come back at a start.

package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// True for an account whose registration failed, and whose keybag may be on disk all the same.
    /// The next start may find it, without files.
    package func mayComeBack(_ account: AccountID) -> Bool {
        leftovers.withLock { $0[account] != nil }
    }

    /// Removes a new keybag that nothing was wrapped under.
    func takeBack(_ keybag: Keybag) -> KeyringError {
        do throws(Errno) {
            try store.destroy(keybag.accountID)
            return .storage(.ioError)
        } catch {
            leftovers.withLock { $0[keybag.accountID] = keybag.identity }
            return .storage(error)
        }
    }

    /// Before a name gets another keybag: two of one name would both be here at the next start.
    func destroyLeftovers(of identity: Identity) throws(KeyringError) {
        let those = leftovers.withLock { $0.filter { $0.value.matches(identity) } }
        for account in those.keys {
            try Self.storing { () throws(Errno) in try store.destroy(account) }
            leftovers.withLock { $0[account] = nil }
        }
    }
}
