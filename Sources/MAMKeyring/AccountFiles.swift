// The keyring's files of an account, and their destruction.

internal import MAMModel
internal import MAMSystem

/// An account's files in the keyring's part of the state directory. Excludes its record of a wipe,
/// which outlives them all.
struct AccountFiles: Sendable {
    let keybags: KeybagStore
    let attempts: Attempts
    let histories: PassphraseHistory
    let resets: ResetRequests
    let report: @Sendable (KeyringFinding) -> Void

    init(
        in stateDirectory: Int32, clock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(Errno) {
        keybags = try KeybagStore(in: stateDirectory)
        histories = try PassphraseHistory(in: stateDirectory)
        resets = try ResetRequests(in: stateDirectory)
        attempts = try Attempts(in: stateDirectory, clock: clock, report: report)
        self.report = report
    }

    /// Destroys all of them; a failure with one does not keep the others. False, after a report, if
    /// something may be left.
    func destroy(_ account: AccountID) -> Bool {
        AccountFile.allCases.filter { $0.component == .keyring }
            .map { destroy($0, account) }.allSatisfy(\.self)
    }

    private func destroy(_ file: AccountFile, _ account: AccountID) -> Bool {
        do throws(Errno) {
            switch file {
            case .keybag: try keybags.destroy(account)
            case .wrongPassphrases: try attempts.remove(account)
            case .pastPassphrases: try histories.remove(account)
            case .resetRequest: try resets.remove(account)
            case .recoveryRecord, .enrollment, .classes, .wipe: break
            }
            return true
        } catch {
            report(.notDestroyed(account, error))
            return false
        }
    }
}
