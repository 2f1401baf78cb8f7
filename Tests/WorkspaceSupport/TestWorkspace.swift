// A daemon's parts without a mount and without a socket.

internal import Glibc
internal import MAMCrypto
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
package import MAMVault
internal import MAMWorkspace
internal import TestSupport

/// A vault with the accounts of Ann and Bob, and a tree over a backing directory. The kernel is the
/// test. A second one in the same places is the daemon restarted after a crash.
package final class TestWorkspace: Sendable {
    package let places: TestDirectories
    package let vault: Vault
    package let tree: Tree
    package let cache = RecordingCache()
    package let ann: AccountID
    package let bob: AccountID

    package static let passphrase = "secret"

    package struct Options {
        /// The class that policy has.
        package var policy = "whenDeviceLocked"
        package var isReadOnly = false
        /// Whether what the vault remembers of accounts beside their keys is kept in the state
        /// directory, and accounts are gone through after changes of policy.
        package var keepsState = false
        package var lockDeadlineSeconds = 1
        package var multiManagedIdentities = false
        package var clearedCaches: [SealedHome.Cache] = []
        /// Whether files whose policy keeps data are for contained programs alone.
        package var requiresContainment = false

        package init() {}
    }

    package init(
        in places: TestDirectories? = nil, _ change: (inout Options) -> Void = { _ in }
    ) throws {
        var options = Options()
        change(&options)
        let places = try places ?? TestDirectories()
        self.places = places
        vault = try Self.makeVault(places, options)
        tree = try Tree(
            vault: vault, root: openFile(places.backing, openPathOnly | O_DIRECTORY),
            workDirectory: openFile(places.work, O_RDONLY | O_DIRECTORY),
            mountPoint: ByteString("/nowhere"), isReadOnly: options.isReadOnly, onReady: { _ in })
        try tree.attach(cache) { Transport(.device) }
        ann = try Self.account("ann@contoso.com", of: geteuid(), in: tree)
        bob = try Self.account("bob@contoso.com", of: geteuid() + 1, in: tree)
        tree.setServed(true)
    }

    deinit {
        tree.beginStopping()
        tree.setServed(false)
    }

    private static func makeVault(_ places: TestDirectories, _ options: Options) throws -> Vault {
        var settings = Settings()
        settings.lockGraceSeconds = 0
        settings.lockDeadlineSeconds = options.lockDeadlineSeconds
        settings.multiManagedIdentities = options.multiManagedIdentities
        settings.clearedCaches = options.clearedCaches
        if options.requiresContainment { settings.containment = .required }
        let state = try openFile(places.state, O_RDONLY | O_DIRECTORY)
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8 << 20)
        let keyring = try Keyring(stateDirectory: state, cost: cost ?? .standard) { _ in }
        return try Vault(
            settings: settings, policies: book(options.policy), keyring: keyring,
            stateDirectory: options.keepsState ? state.raw : nil, log: .silent)
    }

    /// Policies by which files have this class.
    package static func book(_ policy: String) throws -> PolicyBook {
        let document = #"{"appDataEncryptionType": "\#(policy)"}"#
        return PolicyBook(documents: try PolicyDocument.decode(Array(document.utf8)))
    }

    /// Policies that keep data, or do not.
    package static func book(keepsData: Bool) throws -> PolicyBook {
        let receivers = keepsData ? "managedApps" : "allApps"
        let document = #"{"allowedOutboundDataTransferDestinations": "\#(receivers)"}"#
        return PolicyBook(documents: try PolicyDocument.decode(Array(document.utf8)))
    }

    /// Registered, or unlocked if it is known; one that is being wiped stays as it is.
    private static func account(
        _ name: String, of user: UInt32, in tree: Tree
    ) throws -> AccountID {
        let vault = tree.vault
        if let wiped = Wipe(tree).wipeable(named: name), vault.account(named: name) == nil {
            return wiped.account
        }
        guard let known = vault.account(named: name) else {
            return try Registration(tree).register(
                try Identity(name: name), user: user, passphrase: secret(passphrase))
        }
        try Unlock(tree).unlock(known, passphrase: secret(passphrase))
        return known
    }
}

extension TestWorkspace {
    package static let annIdentity = try? Identity(name: "ann@contoso.com")
    package static let bobIdentity = try? Identity(name: "bob@contoso.com")
}
