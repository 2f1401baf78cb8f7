// Recovery records: for as long as policy names a recovery key, the account's keys lie sealed to it
// beside its files.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMSystem
internal import Synchronization

extension Vault {
    /// The recovery keys that policy names: who has the private half of one can open the account's
    /// files.
    package func recoveryKeys(of account: AccountID) -> [RecoveryPublicKey] {
        policy(of: account).rules.mamdRecoveryPublicKey ?? []
    }

    /// From now on records are kept in the workspace's own directory, `.mamd`.
    package func keepRecoveryRecords(in place: Descriptor) {
        recoveryRecords.withLock { $0 = RecoveryRecords(in: place) }
        for account in keyring.accounts { updateRecovery(of: account) }
    }

    /// Brings the account's records in line with its policies. New ones need the account's keys:
    /// while it is locked they wait. What fails is logged and tried again at the next chance;
    /// nothing else waits for it.
    func updateRecovery(of account: AccountID) {
        let keys = recoveryKeys(of: account)
        // Held over all of it: a wipe that comes after the look at the keys removes what is written
        // here.
        recoveryRecords.withLock { records in
            guard let records else { return }
            do throws(Errno) {
                let entries = try records.entries(of: account)
                // Each is tried, whatever becomes of the others.
                let areCurrent = keys.map { update(account, $0, records, entries) }
                // One may be the last way to the account's keys: not before another one is there,
                // or could be.
                let couldBe = windows(of: account)?.hasAllKeys == true
                if keys.isEmpty ? couldBe : areCurrent.allSatisfy(\.self) {
                    removeOthers(than: keys, account, records, entries)
                }
            } catch { log.warning("the recovery records cannot be read: \(error)") }
        }
    }

    /// False if there is none that is as it should be, for want of the account's keys or for a
    /// failure.
    private func update(
        _ account: AccountID, _ key: RecoveryPublicKey, _ records: RecoveryRecords,
        _ entries: [RecoveryRecords.Entry]
    ) -> Bool {
        let name = RecoveryRecords.name(account, key)
        let old = entries.first { $0.name == name }
        if let record = old?.record, old?.recoveryKey == key,
            keyring.recovery.isCurrent(record, of: account)
        {
            return true
        }
        if old?.isNewer == true {
            log.error(
                "\(identity(of: account)): a newer mamd wrote the recovery record \(name), "
                    + "which is left as it is: install that mamd")
            return false
        }
        if let record = old?.record, keyring.recovery.holdsMoreKeys(record, of: account) {
            log.error(
                "\(identity(of: account)): the recovery record \(name) has keys that the keybag "
                    + "has not, which is an old one that somebody has put back: the record is left "
                    + "as it is; import it on another machine, and move it away for a new one"
            )
            return false
        }
        do throws(KeyringError) {
            guard let record = try keyring.recovery.sealKeys(of: account, to: key) else {
                return false
            }
            try writeRecord(record, as: name, in: records)
        } catch {
            log.error(
                "\(identity(of: account)): no recovery record for the key \(key.shortName):"
                    + " \(error)"
            )
            return false
        }
        if old == nil {
            noteRecoveryKey(key, of: account)
        } else {
            log.warning(
                "\(identity(of: account)): the recovery record \(name) was damaged or out of date,"
                    + " and is written again"
            )
        }
        return true
    }

    private func writeRecord(
        _ record: KeyExport, as name: String, in records: RecoveryRecords
    ) throws(KeyringError) {
        do throws(Errno) {
            guard let failure = try records.write(record, as: name) else { return }
            log.warning("what \(name) was before is not overwritten: \(failure)")
        } catch { throw .storage(error) }
    }

    private func removeOthers(
        than keys: [RecoveryPublicKey], _ account: AccountID, _ records: RecoveryRecords,
        _ entries: [RecoveryRecords.Entry]
    ) {
        // A document that is not understood may name the key.
        guard refusedDocuments.isEmpty else { return }
        let wanted = keys.map { RecoveryRecords.name(account, $0) }
        for entry in entries where !entry.isNewer && !wanted.contains(entry.name) {
            // The only other copy of keys that the keybag does not have: that is an old one.
            if let record = entry.record, keyring.recovery.holdsMoreKeys(record, of: account) {
                continue
            }
            do throws(Errno) {
                try records.remove(entry.name)
                log.warning(
                    "\(identity(of: account)): policy names the recovery key of \(entry.name) no"
                        + " more, and the record is removed"
                )
            } catch { log.warning("the recovery record \(entry.name) cannot be removed: \(error)") }
        }
    }

    /// Part of a wipe, once the account's keys are erased in memory. False, and logged, if one is
    /// left.
    func destroyRecoveryRecords(of account: AccountID) -> Bool {
        recoveryRecords.withLock { records in
            do throws(Errno) {
                try records?.removeAll(of: account)
                return true
            } catch {
                log.error("recovery records of \(account.bytes) could not be removed: \(error)")
                return false
            }
        }
    }
}
