// Open, create, protect, lock: where policy, keys and files meet. The mount and the socket both call this.

internal import MAMCrypto
package import MAMFormat
package import MAMKeyring
internal import MAMModel
package import MAMPolicy
internal import MAMStore
package import MAMSystem
internal import Synchronization

/// One workspace's accounts, windows and rules.
package final class Vault: Sendable {
    package let settings: Settings
    package let identities = ProcessIdentities()
    let policy: EffectivePolicy
    let keyring: Keyring
    let log: Log
    let sealer: KeyringSealer
    let openFiles = OpenFiles()
    let closedFiles = ClosedFiles()
    let windows = Mutex<[AccountID: AccountWindows]>([:])
    /// One lock or unlock at a time. Held over purging, so never by a thread that serves the mount.
    let transitions = Mutex<Void>(())
    private let purger = Mutex<(any CachePurger)?>(nil)

    /// The window of files whose key is not on this device.
    private let missing = AccessWindow(.closed)

    package init(settings: Settings, policy: EffectivePolicy, keyring: Keyring, log: Log) {
        self.settings = settings
        self.policy = policy
        self.keyring = keyring
        self.log = log
        sealer = KeyringSealer(keyring: keyring)
        for account in keyring.accounts { addWindows(for: account) }
    }

    /// The mount, which drops the kernel's cached plaintext when a window closes.
    package func setPurger(_ purger: (any CachePurger)?) { self.purger.withLock { $0 = purger } }

    var cachePurger: (any CachePurger)? { purger.withLock { $0 } }

    func addWindows(for account: AccountID) {
        windows.withLock { windows in
            if windows[account] == nil { windows[account] = AccountWindows() }
        }
    }

    func windows(of account: AccountID) -> AccountWindows? { windows.withLock { $0[account] } }

    /// The window that a file's header puts it behind; nil for a file that is not encrypted.
    func window(for header: FileHeader?) -> AccessWindow? {
        guard let sealing = header?.sealing else { return nil }
        guard let account = keyring.account(ofKey: sealing.keyID),
            let windows = windows(of: account)
        else { return missing }
        return windows.window(sealing.protectionClass)
    }

    /// True if a file with this header could be opened now.
    package func isOpen(_ header: FileHeader) -> Bool { window(for: header)?.allowsOpen ?? true }
}

/// What can drop the kernel's cached pages of files.
package protocol CachePurger: Sendable {
    /// Writes back and drops all cached pages of files for which `isAffected` holds, given their header and
    /// whether they are open. Returns when they are gone.
    func purge(_ isAffected: @Sendable (FileHeader, _ isOpen: Bool) -> Bool)
}
