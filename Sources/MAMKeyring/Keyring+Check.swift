// Looking again at keybags and records of wipes on disk, while they are in use.

internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// Compares all copies with what is in memory; with `repair` writes those anew that differ. What was found is returned,
    /// and not reported otherwise.
    package func checkKeybags(repair: Bool) throws(KeyringError) -> [KeyringFinding] {
        var findings: [KeyringFinding] = []
        // No account is registered or changed meanwhile.
        try changes.withLock { _ throws(KeyringError) in
            let (known, wiped) = state.withLock {
                (Array($0.accounts.values), Set($0.wipes.keys))
            }
            do throws(Errno) {
                _ = try store.load(
                    deviceSecret: deviceSecret, except: wiped, known: known, mayRepair: repair
                ) { findings.append($0) }
                for case .damaged(let account) in try wipeStore.load() {
                    findings.append(.wipeDamaged(account))
                }
            } catch { throw .storage(error) }
        }
        return findings
    }
}
