// Files without a header: anybody's plain content, or what is left of a sealed file.

internal import MAMPolicy
internal import MAMStore

extension Vault {
    /// Refuses the content of a foreign file, where the settings want that. Its truncation needs
    /// no leave: that makes it a new file.
    package func checkForeign(_ file: VaultFile) throws(VaultError) {
        guard settings.foreignFiles == .refuse, case .foreign = file.facts else { return }
        throw .refused("it has no protection header, and the setting ForeignFiles refuses that")
    }
}
