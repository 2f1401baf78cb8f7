// `settings.json` while the daemon runs.

import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault
import Synchronization

/// Takes what may change under open files; the rest waits for the next start.
final class SettingsFile: Sendable {
    private let path: String
    private let log: Log
    private let state: Mutex<State>

    private struct State: Sendable {
        var settings: Settings
        /// Of the last reading.
        var failure: String?
    }

    /// `settings`: what the file said at the start.
    init(in directory: String, _ settings: Settings, _ log: Log) {
        path = "\(directory)/settings.json"
        self.log = log
        state = Mutex(State(settings: settings))
    }

    /// True if something else is in force now. While the file cannot be used everything stays as it
    /// was: who is not allowed must not come in by a mistake in it.
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
            let waiting = vault.settings.keysForNextStart(in: new)
            if !waiting.isEmpty {
                log.warning(
                    "\(path): \(waiting.joined(separator: ", ")) will take effect at the next start"
                )
            }
            return NameRights(vault).replaceAccountRules(new.accountRules)
        }
    }

    /// Where there is no file there was none, or it is being replaced.
    private func note(_ failure: String, _ state: inout State) {
        guard failure != state.failure else { return }
        state.failure = failure
        guard failure != Errno.noEntry.description else { return }
        log.error("\(path) is refused: \(failure); the previous settings stay in force")
    }
}
