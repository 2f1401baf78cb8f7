// Keybags and wipes among what a check of the workspace finds.

internal import MAMAudit
package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
package import MAMSystem
internal import Synchronization

extension Vault {
    package func checkKeybags(repair: Bool) -> [Finding] {
        do throws(KeyringError) {
            return try keyring.checkKeybags(repair: repair).compactMap(Finding.init)
        } catch {
            return [Finding(ByteString("keybags"), in: .state, .unreadable, "\(error)", .left(nil))]
        }
    }

    /// Wipes that a crash or a failure interrupted; with `repair` carries on with them.
    package func checkWipes(repair: Bool, in mount: any VaultMount) -> [Finding] {
        keyring.wipes.all.map { wipe in
            let path = ByteString("wipes/\(wipe.account.bytes)")
            let reason = "the wipe of \(wipe.identity) was interrupted"
            guard repair else { return Finding(path, in: .state, .wipe, reason, .left(nil)) }
            return resume(wipe, in: mount)
                ? Finding(path, in: .state, .wipe, reason, .repaired("carried to its end"))
                : Finding(path, in: .state, .wipe, reason, .left("not all of it can be removed"))
        }
    }

    /// What was repaired of itself, after an unclean end: in the log and in the audit.
    package func reportRecovery(of path: ByteString, owner: Identity, _ what: String) {
        log.warning("\(path.shown), a file of \(owner), was left unfinished by a crash: \(what)")
        auditEnd(of: owner, at: path.shown, "recovery", what)
    }

    /// The last handle of a file is gone, and what was to be stored may not be.
    func noteUnfinished(_ header: FileHeader?) {
        hasLeftUnfinished.store(true, ordering: .relaxed)
        if let header { uncertainEnds.add(header.fileID) }
    }

    /// A file was opened though it does not end where its last block says so.
    func reportUncertainEnd(of file: VaultFile) {
        let reason = "its end is uncertain after a crash or a failed call; it is shown as it is"
        log.warning("a file of \(file.owner): \(reason)")
        auditEnd(of: file.owner, at: nil, "open", reason)
    }

    private func auditEnd(
        of owner: Identity, at path: String?, _ operation: String, _ reason: String
    ) {
        var record = AuditRecord(.damaged)
        record.account = owner.description
        record.registrant = registrant(of: owner)
        record.operation = operation
        record.path = path
        record.reason = reason
        _ = trail.add(record)
    }

    /// A file may not be whole by a call that failed: its end is as after a crash.
    package var mayHaveUnfinishedFiles: Bool {
        hasLeftUnfinished.load(ordering: .relaxed)
            || openFiles.all.contains(where: \.stored.isUnfinished)
    }

    /// True if an unlock or an import may yet bring the key of a file.
    package func awaitsKey(_ header: FileHeader) -> Bool {
        switch closure(of: header) {
        case .windowClosed, .blocked, .keyMissing: !isOpen(header)
        default: false
        }
    }
}

extension Finding {
    /// Nil for what is about no keybag.
    fileprivate init?(_ finding: KeyringFinding) {
        func path(_ name: String) -> ByteString { ByteString("keybags/\(name)") }
        switch finding {
        case .repaired(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .repaired("written again"))
        case .completed(let name):
            self.init(
                path(name), in: .state, .keybag, "it was older than its other copy",
                .repaired("written again"))
        case .outOfDate(let name, let error):
            let reason = error?.description ?? "it is older than its other copy"
            self.init(path(name), in: .state, .keybag, reason, .left(nil))
        case .notRepaired(let name, let error):
            self.init(
                path(name), in: .state, .keybag, "it is not as its other copy", .left("\(error)"))
        case .unreadable(let name, .newerVersion(let version)):
            self.init(
                path(name), in: .state, .newer, "\(KeybagError.newerVersion(version))", .unchecked)
        case .unreadable(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .left(nil))
        case .notErased(let name, let error):
            self.init(
                path(name), in: .state, .leftover, "a change of it was interrupted",
                .left("\(error)"))
        case .wipeDamaged(let account):
            self.init(
                ByteString("wipes/\(account.bytes)"), in: .state, .wipe, "its record is damaged",
                .left(nil))
        case .wipeNewer(let record):
            self.init(ByteString(record.fileName), in: .state, .newer, "\(record)", .unchecked)
        case .notDestroyed, .wipeNotEnded, .notDurable, .attemptsDamaged, .attemptsNewer,
            .attemptsNotWritten, .historyDamaged, .historyNotWritten:
            return nil
        }
    }
}
