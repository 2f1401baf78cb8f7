// What the keyring keeps of an account on disk, and how all of it is destroyed.

internal import MAMModel
internal import MAMSystem

/// An account's files in the keyring's part of the state directory. Its record of a wipe is not
/// among them: that outlives them all.
struct AccountFiles: Sendable {
    let keybags: KeybagStore
    let attempts: Attempts
    let histories: PassphraseHistory
    let report: @Sendable (KeyringFinding) -> Void

    init(
        in stateDirectory: Int32, clock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(Errno) {
        keybags = try KeybagStore(in: stateDirectory)
        histories = try PassphraseHistory(in: stateDirectory)
        attempts = try Attempts(in: stateDirectory, clock: clock, report: report)
        self.report = report
    }

    /// False, and reported, if one may be left. That keeps none of the others.
    func destroy(_ account: AccountID) -> Bool {
        var isDone = true
        func attempt(_ step: () throws(Errno) -> Void) {
            do throws(Errno) { try step() } catch {
                report(.notDestroyed(account, error))
                isDone = false
            }
        }
        attempt { () throws(Errno) in try keybags.destroy(account) }
        attempt { () throws(Errno) in try attempts.remove(account) }
        attempt { () throws(Errno) in try histories.remove(account) }
        return isDone
    }
}
