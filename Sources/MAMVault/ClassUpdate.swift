// Bringing all files of an account to the classes that changed rules give them.

internal import Glibc
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

/// Under which rules the files of each account were last gone through, on disk: `classes/ACCOUNTID` in the state
/// directory. It saves going through a large tree at every first unlock.
struct ClassRecords: Sendable {
    private let directory: Descriptor

    init(in stateDirectory: Int32) throws(Errno) {
        if mkdirat(stateDirectory, "classes", 0o700) != 0, Errno.current != .exists {
            throw .current
        }
        directory = try openFile(at: stateDirectory, "classes", O_RDONLY | O_DIRECTORY)
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

    /// Goes through the tree on a thread of its own if the rules changed since that was last done. A lock ends it;
    /// it begins anew at the next unlock.
    func updateClasses(of account: AccountID) {
        guard let mount, let records = classRecords,
            !records.isCurrent(account, classRules(of: account))
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
        let isComplete = mount.updateClasses(of: { self.accountOfWrongClass($0) == account }) {
            windows?.hasAllKeys ?? false
        }
        guard isComplete else { return }
        recordClasses(of: account, records)
        log.info(
            "all files of \(keyring.identity(of: account)) have their class: \(classRules(of: account).dropLast())"
        )
    }

    /// A new account has no files yet.
    func recordClasses(of account: AccountID, _ records: ClassRecords) {
        do throws(Errno) { try records.record(account, classRules(of: account)) } catch {
            log.warning("the files will be gone through once more: \(error)")
        }
    }
}
