// Why the keyring refused or failed.

package import MAMCrypto
package import MAMModel
package import MAMSystem

/// The keyring's refusals and failures; each has its own answer at the edges.
package enum KeyringError: Error, Equatable, Sendable {
    case unknownAccount(AccountID)
    /// The file's key belongs to no account of this device.
    case unknownKey(KeyID)
    /// The name or object id is another account's already.
    case accountExists(AccountID)
    /// An account needs a name or an object id.
    case nobody
    /// The text cannot be an object id.
    case invalidObjectID
    /// The account has another object id already.
    case linkedAlready(String)
    /// The account with this name or object id is being destroyed.
    case beingWiped(AccountID)
    /// A file of an account with this id is in the state directory, and cannot be used.
    case leftOver(fileName: String)
    /// A file of an account with this id is in the state directory, and not ours to change.
    case leftNewer(NewerRecord)
    case emptyPassphrase
    case passphraseRequired
    /// The account has no passphrase, and one was given.
    case passphraseNotUsed
    /// It was tried and is wrong; seconds until the next one is tried.
    case wrongPassphrase(retryAfterSeconds: Int64)
    /// It was not tried: too soon after a wrong one.
    case retryLater(seconds: Int64)
    /// It was not tried: nobody knows how many wrong ones there were.
    case attemptsDamaged(seconds: Int64)
    /// It was not tried: the record of wrong ones is not this program's to change.
    case attemptsNewer(NewerRecord)
    /// The class's key is not at hand until the account is unlocked.
    case windowClosed(AccountID)
    /// It was locked while it was being unlocked.
    case lockedMeanwhile(AccountID)
    /// Policy keeps the account closed.
    case blocked(AccountBlock)
    /// Policy or settings do not want it; a sentence, and a command that helps.
    case refused(String, next: String? = nil)
    /// The wrapped file key or its header was changed.
    case notAuthentic
    case keybag(KeybagError)
    case deviceSecret(DeviceSecretError)
    case derivation(DerivationError)
    /// The cipher refused.
    case cipher
    /// The state directory could not be read or written.
    case storage(Errno)
}

extension KeyringError: CustomStringConvertible {
    package var description: String {
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
        case .refused(let reason, let next): next.map { "\(reason); run: \($0)" } ?? reason
        case .notAuthentic: "the file's header was changed or damaged: its key does not open"
        case .keybag(let error): "the account's keybag cannot be used: \(error)"
        case .deviceSecret(let error): error.description
        case .derivation(.outOfMemory):
            "there is not enough memory to derive the key:"
                + " close programs, or lower KeyDerivation.MemoryMiB"
        case .derivation(.costOutOfRange): "the setting KeyDerivation has an invalid value"
        case .derivation(.failure), .cipher: "the cipher library failed"
        case .storage(let error): "the state directory cannot be used: \(error)"
        }
    }
}

/// Something that the keyring met and went on from; for the log.
package enum KeyringFinding: Equatable, Sendable {
    /// A copy was written again from the good one.
    case repaired(fileName: String, KeybagError)
    /// A copy was older than the other: a change was interrupted. Brought up to date.
    case completed(fileName: String)
    /// A copy is damaged, or without an error older than the other; it was left so, as was asked.
    case outOfDate(fileName: String, KeybagError?)
    /// A copy that should have been written again could not be.
    case notRepaired(fileName: String, Errno)
    /// No copy of this account's keybag can be used; nothing was changed.
    case unreadable(fileName: String, KeybagError)
    /// What a crash left of a change was not overwritten, or is still there.
    case notErased(fileName: String, Errno)
    /// The decision to wipe an account cannot be read: nothing of it is destroyed, and it cannot be
    /// used.
    case wipeDamaged(AccountID)
    /// A newer mamd decided it: nothing of the account is destroyed, and it cannot be used.
    case wipeNewer(NewerRecord)
    /// The keys of an account that is being wiped are not all destroyed.
    case notDestroyed(AccountID, Errno)
    /// The record of a wipe that is done is still there: the wipe is gone through once more.
    case wipeNotEnded(AccountID, Errno)
    /// A change is in place, but may not survive a crash.
    case notDurable(fileName: String, Errno)
    /// The count of wrong passphrases is damaged; the longest delay applies.
    case attemptsDamaged(AccountID)
    /// A newer mamd counted them: no passphrase of the account is tried.
    case attemptsNewer(NewerRecord)
    /// The count of wrong passphrases is kept in memory only.
    case attemptsNotWritten(AccountID, Errno)
    /// What is known of earlier passphrases is damaged, and forgotten.
    case historyDamaged(AccountID)
    /// A passphrase was changed, and is not remembered as an earlier one.
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
