// Checks the keybags and wipe records on disk while they are in use.

internal import MAMModel
internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// Compares all copies with memory; with `repair` rewrites those that differ. Returns the
    /// findings without reporting them.
    package func checkKeybags(repair: Bool) throws(KeyringError) -> [KeyringFinding] {
        var findings: [KeyringFinding] = []
        // Excludes registrations and changes.
        try locks.changes.withLock { _ throws(KeyringError) in
            let (known, decided) = state.read {
                (Array($0.accounts.values), Set($0.wipes.keys))
            }
            do throws(Errno) {
                // Includes accounts with unreadable wipe records: a copy of their keybag must not
                // be restored from the other.
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
