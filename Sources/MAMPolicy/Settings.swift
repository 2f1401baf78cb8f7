// How one workspace is run.

package import MAMModel

/// `settings.json`. Every key may be missing; the defaults are below.
package struct Settings: Sendable, Equatable {
    /// `MultiIdentity`: what a user creates belongs to nobody until an identity is set. Otherwise to the account
    /// that the user registered.
    package var multiIdentity = false
    /// `MaxFileProtectionLevel`: no file is protected more strictly than this.
    package var maximumClass = ProtectionClass.complete
    /// `LockGraceSeconds`: how long keys stay after a lock. Ten, as on iOS with "require passcode immediately".
    package var lockGraceSeconds = 10
    /// `LockDeadlineSeconds`: a lock that something holds up is finished anyway after so long.
    package var lockDeadlineSeconds = 4
    /// `LockOn.SessionLock`: what a locked screen does to the accounts of its user.
    package var lockOnSession = SessionLock.grace
    /// `LockOn.Sleep`: whether everything is locked before the machine sleeps.
    package var locksOnSleep = true
    /// `LockOn.IdleSeconds`: lock after so long without use; 0 for never.
    package var idleLockSeconds = 0
    /// `KeyDerivation.Passes` of Argon2id, for keybags that are written from now on.
    package var keyDerivationPasses: UInt32 = 3
    /// `KeyDerivation.MemoryMiB`.
    package var keyDerivationMemoryMiB: UInt32 = 256
    /// The class of files whose policy leaves it to the device: C, the default of iOS.
    package var deviceDefaultClass = ProtectionClass.completeUntilFirstUserAuthentication
    /// What was read past.
    package var warnings: [PolicyWarning] = []

    /// The defaults.
    package init() {}

    /// What is done when a session is locked.
    package enum SessionLock: String, Sendable, CaseIterable {
        case grace, now, never
    }

    /// Bytes of memory that a key derivation takes.
    package var keyDerivationMemoryByteCount: UInt64 { UInt64(keyDerivationMemoryMiB) << 20 }
}
