// Bringing all files of an account to the classes that changed rules give them.

internal import Glibc
package import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
package import MAMStore
package import MAMSystem
internal import Synchronization

/// Under which rules the files of each account were last gone through, on disk: `classes/ACCOUNTID`
/// in the state directory. It saves going through a large tree at every first unlock.
struct ClassRecords: Sendable {
    private let directory: Descriptor

    init(in stateDirectory: Int32) throws(Errno) {
        let name = AccountFile.classes.directory
        if mkdirat(stateDirectory, name, 0o700) != 0, Errno.current != .exists { throw .current }
        directory = try openFile(at: stateDirectory, name, O_RDONLY | O_DIRECTORY)
    }

    func isCurrent(_ account: AccountID, _ rules: String) -> Bool {
        let name = account.bytes.description
        let found = try? readSmallFile(at: directory.raw, name, maximumByteCount: 256)
        return found == Array(rules.utf8)
    }

    /// For an account that is being wiped. What comes back with a crash names nobody.
    func remove(_ account: AccountID) throws(Errno) {
        try removeFile(in: directory.raw, named: account.bytes.description)
    }

    func record(_ account: AccountID, _ rules: String) throws(Errno) {
        try Array(rules.utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: account.bytes.description, with: bytes)
        }
    }
}

extension Vault {
    /// What is remembered of an account whose files were gone through: its rules, and the key that
    /// seals its new files.
    private func classRecord(of account: AccountID) -> String {
        "\(classRules(of: account))key \(keyring.keyID(of: account)?.bytes ?? .zero)\n"
    }

    /// What decides on classes, as text.
    private func classRules(of account: AccountID) -> String {
        let policyClass = policy(of: account).protectionClass(settings: settings)
        return "policy \(policyClass.letter), at most \(settings.maximumClass.letter)\n"
    }

    func updateClassesOfUnlockedAccounts() {
        for account in keyring.accounts where windows(of: account)?.hasAllKeys == true {
            updateClasses(of: account)
        }
    }

    /// Goes through the tree on a thread of its own if the rules changed since that was last done.
    /// A lock ends it; it begins anew at the next unlock.
    func updateClasses(of account: AccountID) {
        guard let mount, let records = classRecords,
            !records.isCurrent(account, classRecord(of: account))
        else {
            return
        }
        let isRunning = updating.withLock { updating in
            let isRunning = updating[account] != nil
            updating[account] = isRunning
            return isRunning
        }
        if isRunning { return }
        do throws(Errno) {
            try startThread(named: "class-update") {
                self.updateClasses(of: account, in: mount, records)
                // An unlock may have come while this one was still ending after a lock.
                let isWanted = self.updating.withLock { $0.removeValue(forKey: account) } ?? false
                if isWanted { self.updateClasses(of: account) }
            }
        } catch {
            updating.withLock { $0[account] = nil }
            log.warning("files keep their old classes until they are opened: \(error)")
        }
    }

    private func updateClasses(
        of account: AccountID, in mount: any VaultMount, _ records: ClassRecords
    ) {
        let windows = windows(of: account)
        // As they are now: what changes from here on takes another pass.
        let record = classRecord(of: account)
        let shallGoOn: @Sendable () -> Bool = { windows?.hasAllKeys ?? false }
        // All headers first: the next lock holds for every file, however long it takes to seal
        // their content anew.
        let haveClasses = mount.updateClasses(
            of: { self.accountOfStaleKey($0) == account }, while: shallGoOn)
        let areSealed = mount.sealAnew(
            of: { self.accountOfExposedKey($0) == account }, while: shallGoOn)
        guard haveClasses, areSealed else { return }
        // Not if a file was found meanwhile that the walk may have missed.
        updating.withLock { updating in
            if updating[account] != true { remember(record, of: account, records) }
        }
        log.info(
            "all files of \(keyring.identity(of: account)) have their class:"
                + " \(classRules(of: account).dropLast())"
        )
    }

    /// A new account has no files yet.
    func recordClasses(of account: AccountID, _ records: ClassRecords) {
        remember(classRecord(of: account), of: account, records)
    }

    private func remember(_ record: String, of account: AccountID, _ records: ClassRecords) {
        do throws(Errno) { try records.record(account, record) } catch {
            log.warning("the files will be gone through once more: \(error)")
        }
    }

    /// A file whose content is to be sealed under a new key was found as it was opened: it is
    /// sealed with all others of its account, on the thread that goes through them. Who opens it
    /// does not wait.
    package func sealAnewSoon(_ header: FileHeader?) {
        guard let header, let account = accountOfExposedKey(header) else { return }
        forgetClasses(of: account)
        updateClasses(of: account)
    }

    /// The same after the next unlock.
    package func sealAnewLater(_ header: FileHeader?) {
        guard let header, let account = accountOfExposedKey(header) else { return }
        forgetClasses(of: account)
    }

    /// A file was made anew, by the rules and keys of the moment in which that was begun. If they
    /// have changed since, the pass over the tree may not have seen it.
    package func updateClassSoon(_ header: FileHeader?) {
        guard let header, let account = accountOfStaleKey(header) else { return }
        forgetClasses(of: account)
        updateClasses(of: account)
    }

    /// Files of keys that were joined are met again: now, or after the next unlock.
    func sealJoinedFiles(of account: AccountID) {
        forgetClasses(of: account)
        if windows(of: account)?.hasAllKeys == true { updateClasses(of: account) }
    }

    /// Not all files were met: they are gone through once more.
    private func forgetClasses(of account: AccountID) {
        guard let classRecords else { return }
        do throws(Errno) {
            try updating.withLock { updating throws(Errno) in
                if updating[account] != nil { updating[account] = true }
                try classRecords.remove(account)
            }
        } catch {
            let owner = identity(of: account)
            log.warning("a file of \(owner) keeps its key until the classes change: \(error)")
        }
    }

    /// A file that can only be restored, or written anew, which gives it another key.
    package func reportKeptKey(of path: ByteString, _ header: FileHeader, _ damage: StoreError) {
        log.warning(
            "\(path.shown), a file of \(header.owner), keeps its key from before: \(damage)")
    }

    /// Tells of files that were to be sealed under new keys, `left` of them in vain.
    package func reportSealedAnew(_ count: Int, left: Int, _ reason: VaultError?) {
        if count > 0 {
            log.info("sealed anew, under keys that no old bytes open: files: \(count)")
        }
        guard left > 0, let reason else { return }
        log.warning(
            "files that keep the keys from before, to be tried again at the next unlock: \(left): "
                + "\(reason)"
        )
    }
}
