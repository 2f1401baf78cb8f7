// Recovery records: while policy names a recovery key, the account's keys are stored, sealed to it,
// beside its files.

internal import MAMAudit
internal import MAMCrypto
internal import MAMFleet
package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMSystem

/// Keeps recovery records up to date with policy.
package struct RecoveryUpdates: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// The recovery keys that policy names: the private half of any of them can open the account's
    /// files.
    package func recoveryKeys(of account: AccountID) -> [RecoveryPublicKey] {
        vault.policy(of: account).rules.mamdRecoveryPublicKey ?? []
    }

    /// Whether the private half of some key can open the account's files.
    package func isRecoverable(_ account: AccountID) -> Bool {
        let named = recoveryKeys(of: account)
        guard named.isEmpty, !givenKeys(beside: named).isEmpty else { return !named.isEmpty }
        return vault.keyring.recovery.records.withLock { records in
            let entries = (try? records?.entries(of: account)) ?? []
            return !kept(beside: named, entries).isEmpty
        }
    }

    /// What order keys gave and have not taken back, beside what policy names for the account: one
    /// policy key can take it out of a group, or put another policy in a default's place
    /// (docs/adr/0099-what-opens-needs-two.md).
    private func givenKeys(beside named: [RecoveryPublicKey]) -> Set<String> {
        let given = vault.fleet?.standing?.recoveryKeys.values.reduce(into: Set()) {
            $0.formUnion($1)
        }
        return (given ?? []).subtracting(named.map(\.text))
    }

    /// The records that stay although policy names their key no more.
    private func kept(
        beside named: [RecoveryPublicKey], _ entries: [RecoveryRecords.Entry]
    ) -> [RecoveryRecords.Entry] {
        let given = givenKeys(beside: named)
        return entries.filter { $0.recoveryKey.map { given.contains($0.text) } ?? false }
    }

    /// Stores records in the workspace's own directory, `.mamd`, from now on.
    package func keepRecoveryRecords(in place: Descriptor) {
        vault.keyring.recovery.records.use(RecoveryRecords(in: place))
        for account in vault.keyring.accounts { updateRecovery(of: account) }
    }

    /// Updates the account's records to its policies. New records need the account's keys, so they
    /// wait while it is locked. A failure is logged and retried at the next opportunity; nothing
    /// else waits for it.
    package func updateRecovery(of account: AccountID) {
        let named = recoveryKeys(of: account)
        // Held throughout: a wipe that starts after the keys were read removes what is written
        // here.
        vault.keyring.recovery.records.withLock { records in
            guard let records else { return }
            do throws(Errno) {
                let entries = try records.entries(of: account)
                let kept = kept(beside: named, entries)
                // What somebody else has put there gets no keys.
                let own = kept.filter { entry in
                    entry.record.map { vault.keyring.recovery.isOwn($0, of: account) } ?? false
                }
                let keys = named + own.compactMap(\.recoveryKey)
                // Each is tried, whatever the others' results.
                let areCurrent = keys.map { update(account, $0, records, entries) }
                // A record may be the last way to the account's keys: keep it until a current one
                // exists or could be made.
                let couldBe = vault.windows[account]?.hasAllKeys == true
                if keys.isEmpty ? couldBe : areCurrent.allSatisfy(\.self) {
                    let others = entries.filter { entry in
                        !kept.contains { $0.name == entry.name }
                    }
                    removeOthers(than: named, account, records, others)
                }
                for entry in kept { tellKept(entry, of: account) }
            } catch { vault.log.warning("the recovery records cannot be read: \(error)") }
        }
    }

    /// False if there is no current record, for lack of the account's keys or after a failure.
    private func update(
        _ account: AccountID, _ key: RecoveryPublicKey, _ records: RecoveryRecords,
        _ entries: [RecoveryRecords.Entry]
    ) -> Bool {
        let name = RecoveryRecords.name(account, key)
        let old = entries.first { $0.name == name }
        if let record = old?.record, old?.recoveryKey == key,
            vault.keyring.recovery.isCurrent(record, of: account)
        {
            return true
        }
        if old?.isNewer == true {
            vault.log.error(
                "\(vault.identity(of: account)): a newer mamd wrote the recovery record \(name), "
                    + "which is left as it is: install that mamd")
            return false
        }
        if let record = old?.record, vault.keyring.recovery.holdsMoreKeys(record, of: account) {
            vault.log.error(
                "\(vault.identity(of: account)): the recovery record \(name) has keys that the"
                    + " keybag "
                    + "has not, which is an old one that somebody has put back: the record is left "
                    + "as it is; import it on another machine, and move it away for a new one"
            )
            return false
        }
        do throws(KeyringError) {
            guard let record = try vault.keyring.recovery.sealKeys(of: account, to: key) else {
                return false
            }
            try writeRecord(record, as: name, in: records)
        } catch {
            vault.log.error(
                "\(vault.identity(of: account)): no recovery record for the key \(key.shortName):"
                    + " \(error)"
            )
            return false
        }
        if old == nil {
            noteRecoveryKey(key, of: account)
        } else {
            vault.log.warning(
                "\(vault.identity(of: account)): the recovery record \(name) was damaged or out of"
                    + " date, and is written again"
            )
        }
        return true
    }

    private func writeRecord(
        _ record: KeyExport, as name: String, in records: RecoveryRecords
    ) throws(KeyringError) {
        do throws(Errno) {
            guard let failure = try records.write(record, as: name) else { return }
            vault.log.warning("what \(name) was before is not overwritten: \(failure)")
        } catch { throw .storage(error) }
    }

    private func removeOthers(
        than keys: [RecoveryPublicKey], _ account: AccountID, _ records: RecoveryRecords,
        _ entries: [RecoveryRecords.Entry]
    ) {
        // A refused document may name the key.
        guard vault.refusedDocuments.isEmpty else { return }
        let wanted = keys.map { RecoveryRecords.name(account, $0) }
        for entry in entries where !entry.isNewer && !wanted.contains(entry.name) {
            // It has keys that the keybag lacks, so the keybag is an old one and this is the only
            // copy.
            if let record = entry.record, vault.keyring.recovery.holdsMoreKeys(record, of: account)
            {
                continue
            }
            do throws(Errno) {
                try records.remove(entry.name)
                vault.log.warning(
                    "\(vault.identity(of: account)): policy names the recovery key of"
                        + " \(entry.name) no more, and the record is removed"
                )
            } catch {
                vault.log.warning("the recovery record \(entry.name) cannot be removed: \(error)")
            }
        }
    }

    private func tellKept(_ entry: RecoveryRecords.Entry, of account: AccountID) {
        vault.log.warning(
            "\(vault.identity(of: account)): policy names the recovery key of \(entry.name) no"
                + " more, and the record stays until order keys have signed that")
    }

    /// Part of a wipe, after the account's keys were erased in memory. False, after logging, if one
    /// remains.
    package func destroyRecoveryRecords(of account: AccountID) -> Bool {
        vault.keyring.recovery.records.withLock { records in
            do throws(Errno) {
                try records?.removeAll(of: account)
                return true
            } catch {
                vault.log.error(
                    "recovery records of \(account.bytes) could not be removed: \(error)")
                return false
            }
        }
    }

    package func noteRecoveryKey(_ key: RecoveryPublicKey, of account: AccountID) {
        vault.audit(
            .recoveryKey, account,
            "the holder of the recovery key \(key.shortName) can open the files of"
                + " \(vault.identity(of: account)) from now on"
        )
    }
}
