// Keybags in the findings of a workspace check.

internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMVault

/// Checks and repairs keybags.
package struct KeybagCheck: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    package func checkKeybags(repair: Bool) -> [Finding] {
        do throws(KeyringError) {
            return try vault.keyring.checkKeybags(repair: repair).compactMap(Finding.init)
        } catch {
            return [Finding(ByteString("keybags"), in: .state, .unreadable, "\(error)", .left(nil))]
        }
    }
}

extension Finding {
    /// Nil for findings about other files.
    fileprivate init?(_ finding: KeyringFinding) {
        func path(_ name: String) -> ByteString { ByteString("keybags/\(name)") }
        switch finding {
        case .repaired(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .repaired("written again"))
        case .completed(let name):
            self.init(
                path(name), in: .state, .keybag, "it was older than its other copy",
                .repaired("written again"))
        case .outOfDate(let name, let error):
            let reason = error?.message ?? "it is older than its other copy"
            self.init(path(name), in: .state, .keybag, reason, .left(nil))
        case .notRepaired(let name, let error):
            self.init(
                path(name), in: .state, .keybag, "it is not as its other copy", .left("\(error)"))
        case .unreadable(let name, .newerVersion(let version)):
            self.init(
                path(name), in: .state, .newer, "\(KeybagError.newerVersion(version))", .unchecked)
        case .unreadable(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .left(nil))
        case .notErased(let name, let error):
            self.init(
                path(name), in: .state, .leftover, "a change of it was interrupted",
                .left("\(error)"))
        case .wipeDamaged(let account):
            self.init(
                ByteString("wipes/\(account.bytes)"), in: .state, .wipe, "its record is damaged",
                .left(nil))
        case .wipeNewer(let record):
            self.init(ByteString(record.fileName), in: .state, .newer, "\(record)", .unchecked)
        case .notDestroyed, .wipeNotEnded, .notDurable, .attemptsDamaged, .attemptsNewer,
            .attemptsNotWritten, .historyDamaged, .historyNotWritten:
            return nil
        }
    }
}
