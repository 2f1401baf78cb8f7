// Why the keyring refused or failed.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

/// The keyring's refusals and failures; the callers handle each differently.
package enum KeyringError: Error, Equatable, Sendable {
    case unknownAccount(AccountID)
    /// The file's key belongs to no account of this device.
    case unknownKey(KeyID)
    /// The name or object id is already another account's.
    case accountExists(AccountID)
    /// An account needs a name or an object id.
    case nobody
    /// The text is not a valid object id.
    case invalidObjectID
    /// The account already has an object id.
    case linkedAlready(String)
    /// The account with this name or object id is being wiped.
    case beingWiped(AccountID)
    /// The state directory has an unusable file of an account with this id.
    case leftOver(fileName: String)
    /// The state directory has a file of an account with this id that a newer mamd wrote.
    case leftNewer(NewerRecord)
    case emptyPassphrase
    case passphraseRequired
    /// A passphrase was given, but the account has none.
    case passphraseNotUsed
    /// It is wrong; the seconds until the next try.
    case wrongPassphrase(retryAfterSeconds: Int64)
    /// It was not tried, because a wrong one was tried too recently.
    case retryLater(seconds: Int64)
    /// It was not tried, because the record of wrong ones is damaged.
    case attemptsDamaged(seconds: Int64)
    /// It was not tried, because a newer mamd wrote the record of wrong ones.
    case attemptsNewer(NewerRecord)
    /// The class's key is not loaded until the account is unlocked.
    case windowClosed(AccountID)
    /// It was locked while it was being unlocked.
    case lockedMeanwhile(AccountID)
    /// Policy keeps the account closed.
    case blocked(AccountBlock)
    /// Policy or settings forbid it; a sentence, and a command that helps.
    case refused(Message, next: String? = nil, cause: RefusalCause? = nil)
    /// The wrapped file key or its header was tampered with.
    case notAuthentic
    case keybag(KeybagError)
    case deviceSecret(DeviceSecretError)
    case derivation(DerivationError)
    /// The cipher failed.
    case cipher
    /// The state directory could not be read or written.
    case storage(Errno)
}

extension KeyringError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .unknownAccount: "there is no such account here"
        case .unknownKey: "the key that the file needs is not on this device"
        case .accountExists: "an account with this name or object id is registered already"
        case .beingWiped:
            "the account is being wiped, and not all of its files are gone yet: see the daemon's"
                + " log,"
                + " or run mamctl wipe again"
        case .nobody: "an account needs a name or an object id"
        case .invalidObjectID:
            "the object id is empty, longer than \(Identity.maximumObjectIDByteCount) bytes, or has"
                + " control characters"
        case .linkedAlready(let objectID): "the account has the object id \(objectID) already"
        case .leftOver(let name):
            "\(name) of this account is in the state directory and cannot be used: move it away"
                + " first"
        case .leftNewer(let record): "no keys are imported: \(record)"
        case .emptyPassphrase: "the passphrase is empty"
        case .passphraseRequired: "the account needs its passphrase"
        case .passphraseNotUsed: "the account has no passphrase"
        case .wrongPassphrase(let seconds):
            seconds > 0
                ? "the passphrase is wrong; the next one is tried in \(seconds) s"
                : "the passphrase is wrong"
        case .retryLater: "it came too soon after a wrong one"
        case .attemptsDamaged:
            "the record of wrong ones is damaged, which costs an hour, once"
        case .attemptsNewer(let record): "no passphrase is tried: \(record)"
        case .windowClosed: "the account is locked"
        case .lockedMeanwhile: "it was locked while it was being unlocked: unlock it again"
        case .blocked(let block): "the account is blocked: \(block.reason)"
        case .refused(let reason, let next, _): next.map { "\(reason); run: \($0)" } ?? reason
        case .notAuthentic: "the file's header was changed or damaged: its key does not open"
        case .keybag(let error): "the account's keybag cannot be used: \(error)"
        case .deviceSecret(let error): "\(error)"
        case .derivation(.outOfMemory):
            "there is not enough memory to derive the key:"
                + " close programs, or lower KeyDerivation.MemoryMiB"
        case .derivation(.costOutOfRange): "the setting KeyDerivation has an invalid value"
        case .derivation(.failure), .cipher: "the cipher library failed"
        case .storage(let error): "the state directory cannot be used: \(error)"
        }
    }
}

/// Something that the keyring found and handled; for the log.
package enum KeyringFinding: Equatable, Sendable {
    /// A copy was rewritten from the good one.
    case repaired(fileName: String, KeybagError)
    /// A copy was older than the other, after an interrupted change, and was updated.
    case completed(fileName: String)
    /// A copy is damaged or, without an error, older than the other; left unchanged, as requested.
    case outOfDate(fileName: String, KeybagError?)
    /// A copy should have been rewritten, but could not be.
    case notRepaired(fileName: String, Errno)
    /// No copy of this account's keybag is usable; nothing was changed.
    case unreadable(fileName: String, KeybagError)
    /// A leftover of a crash could not be overwritten or removed.
    case notErased(fileName: String, Errno)
    /// The record of an account's wipe is unreadable: nothing is destroyed, and the account is
    /// unusable.
    case wipeDamaged(AccountID)
    /// A newer mamd wrote the record: nothing is destroyed, and the account is unusable.
    case wipeNewer(NewerRecord)
    /// Some keys of an account that is being wiped could not be destroyed.
    case notDestroyed(AccountID, Errno)
    /// The record of a completed wipe could not be removed: the wipe will be repeated.
    case wipeNotEnded(AccountID, Errno)
    /// A change is in place but may not survive a crash.
    case notDurable(fileName: String, Errno)
    /// The count of wrong passphrases is damaged; the longest delay applies.
    case attemptsDamaged(AccountID)
    /// A newer mamd counted them: no passphrase of the account is tried.
    case attemptsNewer(NewerRecord)
    /// The count of wrong passphrases is only in memory.
    case attemptsNotWritten(AccountID, Errno)
    /// The record of earlier passphrases was damaged and is discarded.
    case historyDamaged(AccountID)
    /// The passphrase was changed, but the former one could not be recorded.
    case historyNotWritten(AccountID, Errno)
}

extension KeyringFinding: CustomStringConvertible {
    package var description: String {
        switch self {
        case .repaired(let name, let error):
            "keybags/\(name) was written again from its other copy: \(error)"
        case .completed(let name):
            "keybags/\(name) was older than its other copy and is up to date now"
        case .outOfDate(let name, let error):
            "keybags/\(name) is not as its other copy: \(error?.description ?? "it is older")"
        case .notRepaired(let name, let error):
            "keybags/\(name) should be written again and cannot be: \(error)"
        case .unreadable(let name, let error): "keybags/\(name) cannot be used: \(error)"
        case .notErased(let name, let error): "keybags/\(name) cannot be erased: \(error)"
        case .wipeDamaged(let account):
            "wipes/\(account.bytes) is damaged, so the account is not used and nothing of it is"
                + " removed:"
                + " delete this file to keep the account"
        case .wipeNewer(let record):
            "the account is not used and nothing of it is removed: \(record)"
        case .notDestroyed(let account, let error):
            "the keys of the wiped account \(account.bytes) could not all be destroyed: \(error)"
        case .wipeNotEnded(let account, let error):
            "wipes/\(account.bytes) cannot be removed, so that the wipe has not ended: \(error)"
        case .notDurable(let name, let error):
            "\(name) was changed, but may not survive a crash: \(error)"
        case .attemptsDamaged(let account):
            "attempts/\(account.bytes) is damaged: the longest delay applies"
        case .attemptsNewer(let record): "no passphrase of the account is tried: \(record)"
        case .attemptsNotWritten(let account, let error):
            "attempts/\(account.bytes) cannot be written: \(error)"
        case .historyDamaged(let account):
            "passphrases/\(account.bytes) is damaged: earlier passphrases can be taken again"
        case .historyNotWritten(let account, let error):
            "passphrases/\(account.bytes) cannot be written: \(error)"
        }
    }
}
