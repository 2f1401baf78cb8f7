// The steps of a lock, in an order that neither leaks nor loses data (docs/LOCKING.md).

internal import MAMAudit
internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Lock {
    /// The steps of a lock or, with `everyClass`, of a block. It is part of the account's
    /// transition. Returns the inode numbers of files that obstructed it.
    func close(
        _ account: AccountID, _ windows: AccountWindows, everyClass: Bool,
        until sharedDeadline: Deadline?
    ) -> [UInt64] {
        let deadline = sharedDeadline ?? Deadline(seconds: vault.rules.settings.lockDeadlineSeconds)
        let closing = everyClass ? windows.all : [windows.window(.complete)]
        if everyClass { windows.beginBlocking() } else { windows.beginClosing() }
        // A step that hangs must leave time for the next ones: other files have data to store.
        let soon = min(deadline, Deadline(seconds: 1))
        if !closing.map({ $0.drainUses(until: soon) }).allSatisfy(\.self) {
            reportLate("a read that the disk does not answer")
        }
        let isClosing: @Sendable (VaultFile) -> Bool = { file in
            closing.contains { $0 === file.window }
        }
        let left = purge(account, everyClass: everyClass, until: deadline.orSoon, isClosing)
        let files = vault.openFiles.all.filter(isClosing)
        if !finishes(by: deadline.orSoon, named: "lock-sync", { synchronize(files) }) {
            reportLate("a disk that does not finish to write")
        }
        if everyClass {
            let hasKeyC = vault.keyring.windowState(of: account) != .beforeFirstUnlock
            windows.finishBlocking(hasKeyC: hasKeyC)
        } else {
            windows.finishClosing()
        }
        vault.keyring.dropLockedKeys(account)
        revokeKeys(of: files, until: deadline.orSoon)
        vault.audit(.locked, account, "\(vault.identity(of: account)) is locked")
        vault.announce(.unavailable, account)
        ContainedCaches(tree).clearSoon(of: account)
        return left
    }

    /// Makes the kernel write back and drop its pages before the keys are dropped.
    private func purge(
        _ account: AccountID, everyClass: Bool, until deadline: Deadline,
        _ isClosing: @escaping @Sendable (VaultFile) -> Bool
    ) -> [UInt64] {
        let ring = vault.keyring
        guard tree.isServed else { return [] }
        return Purge(tree).purge(until: deadline) { file in
            switch file {
            case .open(let file): return isClosing(file)
            case .closed(let header):
                guard let sealing = header?.sealing else { return false }
                let locks: [ProtectionClass] = [.complete, .completeUnlessOpen]
                return (everyClass || locks.contains(sealing.protectionClass))
                    && ring.account(ofKey: sealing.keyID) == account
            }
        }
    }

    private func synchronize(_ files: [VaultFile]) {
        for file in files {
            do throws(Errno) {
                try file.synchronize(dataOnly: true)
            } catch {
                vault.log.error(
                    "a file of \(file.owner) could not be synced before the lock: \(error)")
            }
        }
    }

    /// Erases file keys. A key in use by a request that does not end is erased when the request
    /// does.
    func revokeKeys(of files: [VaultFile], until deadline: Deadline) {
        let busy = files.filter { !$0.stored.revokeKey(until: deadline) }
        guard !busy.isEmpty else { return }
        let files = counted(busy.count, "file")
        reportLate("\(files) in use by requests that the disk does not answer")
        _ = finishes(by: deadline, named: "lock-revoke") {
            for file in busy { file.stored.revokeKey() }
        }
    }

    func reportLate(_ reason: String) {
        vault.log.warning(
            "the lock's deadline of \(vault.rules.settings.lockDeadlineSeconds) s passed: \(reason)"
        )
    }
}

extension Deadline {
    /// At least half a second from now: enough for files that nothing obstructs.
    var orSoon: Deadline { max(self, Deadline(milliseconds: 500)) }
}
