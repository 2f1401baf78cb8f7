// Which files are only for contained programs, and which files those may change.

package import MAMFormat
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMSettings

/// Keeps the data of accounts whose policy restricts transfers with programs that the kernel holds
/// to that. Other accounts' files are not affected.
package struct Containment: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Whether an account's files are only for contained programs.
    package func isRequired(for account: AccountID) -> Bool {
        vault.settings.containment == .required && !vault.merged(of: account).sendsToAll
    }

    /// Whether that holds for any account.
    package var isRequiredForSome: Bool {
        vault.settings.containment == .required && !vault.mergedOfAll.sendsToAll
    }

    /// What contained programs of an account may connect to.
    package func network(of account: AccountID) -> Settings.ContainedNetwork {
        vault.merged(of: account).sendsToAll ? .any : vault.settings.containedNetwork
    }

    /// Refuses a file that is only for contained programs to any other. `reader` is evaluated only
    /// for such a file.
    package func checkReading(
        of header: FileHeader?, by reader: () -> FoundIdentity
    ) throws(VaultError) {
        guard let account = owner(of: header), isRequired(for: account) else { return }
        guard !reader().isContained else { return }
        let name = vault.identity(of: account)
        throw .refused(
            "it belongs to \(name), whose policy (\(Self.rule)) keeps it to contained programs",
            next: "mamctl run --contained --account \(name) -- COMMAND")
    }

    /// Refuses a contained program another owner's file, where it would leave what it has read.
    package func checkWriting(
        of header: FileHeader?, by writer: () -> FoundIdentity
    ) throws(VaultError) {
        guard vault.settings.containment == .required else { return }
        let writer = writer()
        guard writer.isContained, let account = vault.account(of: writer.identity),
            isRequired(for: account), owner(of: header) != account
        else { return }
        throw .refused(
            "a contained program of \(writer.identity) changes files of that account only")
    }

    private func owner(of header: FileHeader?) -> AccountID? {
        header?.sealing.flatMap { vault.keyring.account(ofKey: $0.keyID) }
    }

    private static let rule = "allowedOutboundDataTransferDestinations"
}
