// Looking again at keybags and records of wipes on disk, while they are in use.

internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// Compares all copies with what is in memory; with `repair` writes those anew that differ.
    /// What was found is returned, and not reported otherwise.
    package func checkKeybags(repair: Bool) throws(KeyringError) -> [KeyringFinding] {
        var findings: [KeyringFinding] = []
        // No account is registered or changed meanwhile.
        try locks.changes.withLock { _ throws(KeyringError) in
            let (known, decided) = state.read {
                (Array($0.accounts.values), Set($0.wipes.keys))
            }
            do throws(Errno) {
                // Those too whose record cannot be read: one copy must not bring the other back.
                let records = try wipes.store.load()
                _ = try files.keybags.load(
                    deviceSecret: deviceSecret, except: decided.union(records.map(\.account)),
                    known: known, mayRepair: repair
                ) { findings.append($0) }
                for record in records {
                    switch record {
                    case .decided: break
                    case .damaged(let account): findings.append(.wipeDamaged(account))
                    case .newer(_, let record): findings.append(.wipeNewer(record))
                    }
                }
            } catch { throw .storage(error) }
        }
        return findings
    }
}
