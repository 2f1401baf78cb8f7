// `settings.json` while the daemon runs.

import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault
import Synchronization

/// Applies the settings that can change at run time; the others need a restart.
final class SettingsFile: Sendable {
    private let path: String
    private let log: Log
    private let state: Mutex<State>

    private struct State: Sendable {
        var settings: Settings
        /// The last reading's error.
        var failure: String?
    }

    /// `settings`: the file's content at the start.
    init(in directory: String, _ settings: Settings, _ log: Log) {
        path = "\(directory)/settings.json"
        self.log = log
        state = Mutex(State(settings: settings))
    }

    /// True if a setting in force changed. While the file is invalid nothing changes: a mistake in
    /// it must not admit accounts that are not allowed.
    func reload(into vault: Vault) -> Bool {
        state.withLock { state in
            let new: Settings
            do {
                new = try Settings.decode(
                    readSmallFile(path, maximumByteCount: maximumDocumentByteCount))
            } catch {
                note("\(error)", &state)
                return false
            }
            state.failure = nil
            guard new != state.settings else { return false }
            state.settings = new
            report(new.warnings, of: path, log)
            let waiting = vault.rules.settings.keysForNextStart(in: new)
            if !waiting.isEmpty {
                log.warning(
                    "\(path): \(waiting.joined(separator: ", ")) will take effect at the next start"
                )
            }
            return NameRights(vault).replaceAccountRules(new.accountRules)
        }
    }

    /// A missing file was always missing, or is being replaced.
    private func note(_ failure: String, _ state: inout State) {
        guard failure != state.failure else { return }
        state.failure = failure
        guard failure != Errno.noEntry.description else { return }
        log.error("\(path) is refused: \(failure); the previous settings stay in force")
    }
}
