// Updates all files of an account after its rules or keys changed.

internal import Glibc
package import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Walks an account's files after its rules or keys changed.
package struct ClassPass: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// The record of a complete pass over an account's files: its rules, and the key that seals new
    /// files.
    private func classRecord(of account: AccountID) -> String {
        "\(classRules(of: account))key \(vault.keyring.keyID(of: account)?.bytes ?? .zero)\n"
    }

    /// Everything that determines classes, as text.
    private func classRules(of account: AccountID) -> String {
        let rule = vault.merged(of: account).classRule
        return "policy \(rule.policyClass.letter), at most \(rule.ceiling.letter)\n"
    }

    package func updateClassesOfUnlockedAccounts() {
        for account in vault.keyring.accounts where vault.windows[account]?.hasAllKeys == true {
            updateClasses(of: account)
        }
    }

    /// Walks the tree on its own thread if the rules changed since the last pass. A lock ends it;
    /// the next unlock starts it again.
    func updateClasses(of account: AccountID) {
        guard tree.isServed, let records = vault.walks.classes,
            !records.isCurrent(account, classRecord(of: account))
        else {
            return
        }
        guard records.begin(account) else { return }
        do throws(Errno) {
            try startThread(named: "class-update") {
                updateClasses(of: account, records)
                // An unlock may have come while this pass was ending after a lock.
                if records.end(account) { updateClasses(of: account) }
            }
        } catch {
            _ = records.end(account)
            vault.log.warning("files keep their old classes until they are opened: \(error)")
        }
    }

    private func updateClasses(
        of account: AccountID, _ records: ClassRecords
    ) {
        let windows = vault.windows[account]
        // The current rules: later changes require another pass.
        let record = classRecord(of: account)
        let shallGoOn: @Sendable () -> Bool = { windows?.hasAllKeys ?? false }
        // All headers first, so that the next lock holds for every file, however long sealing their
        // content under new keys takes.
        let haveClasses = ClassUpdates(tree).updateClasses(
            of: { FileClasses(vault).accountOfStaleKey($0) == account }, while: shallGoOn)
        let areSealed = KeyRenewal(tree).sealAnew(
            of: { FileClasses(vault).accountOfExposedKey($0) == account }, while: shallGoOn)
        guard haveClasses, areSealed else { return }
        remembering { () throws(Errno) in try records.complete(account, record) }
        vault.log.info(
            "all files of \(vault.identity(of: account)) have their class:"
                + " \(classRules(of: account).dropLast())"
        )
    }

    /// A new account has no files yet.
    func recordClasses(of account: AccountID) {
        guard let records = vault.walks.classes else { return }
        remembering { () throws(Errno) in try records.record(account, classRecord(of: account)) }
    }

    private func remembering(_ record: () throws(Errno) -> Void) {
        do throws(Errno) { try record() } catch {
            vault.log.warning("the files will be gone through once more: \(error)")
        }
    }

    /// Called when an open finds a file that needs a new key. The thread that updates the account's
    /// files does that; the open does not wait.
    package func sealAnewSoon(_ header: FileHeader?) {
        if let account = noteExposed(header) { updateClasses(of: account) }
    }

    /// After the next unlock.
    func sealAnewLater(_ header: FileHeader?) { _ = noteExposed(header) }

    /// The next pass finds the file if it needs a new key. Returns its account then.
    private func noteExposed(_ header: FileHeader?) -> AccountID? {
        guard let header, let account = FileClasses(vault).accountOfExposedKey(header) else {
            return nil
        }
        forgetClasses(of: account)
        return account
    }

    /// A new file follows the rules and keys from when its creation began. If they changed since,
    /// the pass over the tree may have missed it.
    package func updateClassSoon(_ header: FileHeader?) {
        guard let header, let account = FileClasses(vault).accountOfStaleKey(header) else { return }
        forgetClasses(of: account)
        updateClasses(of: account)
    }

    /// Repeats the pass for files of imported keys, now or after the next unlock.
    func sealJoinedFiles(of account: AccountID) {
        forgetClasses(of: account)
        if vault.windows[account]?.hasAllKeys == true { updateClasses(of: account) }
    }

    /// The last pass missed files, so it has to be repeated.
    private func forgetClasses(of account: AccountID) {
        do throws(Errno) { try vault.walks.classes?.forget(account) } catch {
            let owner = vault.identity(of: account)
            vault.log.warning("a file of \(owner) keeps its key until the classes change: \(error)")
        }
    }
}

/// Gives every file the class that policy requires.
package struct ClassUpdates: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !tree.isReadOnly else { return false }
        // Files being created under the old keys: after this, the walk finds their names.
        Creator(tree).awaitMakers()
        let isComplete = Walk(tree).walk(while: shallGoOn) { found in
            found.entry.inode.isDirectory || updateClass(of: found.entry.inode, isWanted)
        }
        return isComplete && synchronizeAll()
    }

    /// False if its class is outdated and could not be changed.
    private func updateClass(of inode: Inode, _ isWanted: (FileHeader) -> Bool) -> Bool {
        guard inode.isRegular, let header = inode.header, isWanted(header) else { return true }
        do throws(VaultError) {
            try Classes(tree).changeHeader(of: inode) { file throws(VaultError) in
                try FileClasses(tree.vault).updateClass(of: file)
            }
            return true
        } catch {
            FileAudit(tree.vault).reportStaleClass(of: inode.header, error)
            return false
        }
    }

    /// The record of a complete pass is permanent, so its changes must be durable first.
    func synchronizeAll() -> Bool {
        guard let directory = try? reopen(tree.root.raw, O_RDONLY | O_DIRECTORY) else {
            return false
        }
        return withExtendedLifetime(directory) {
            (try? synchronizeFileSystem(of: directory.raw)) != nil
        }
    }
}
