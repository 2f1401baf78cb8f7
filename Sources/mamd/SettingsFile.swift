// `settings.json` at the start, and while the daemon runs.

import Glibc
internal import MAMCommandLine
internal import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault
import MAMWire
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
            let waiting = vault.rules.own.keysForNextStart(in: new)
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

/// Far larger than an administrator's document.
let maximumDocumentByteCount = 4 << 20

/// Reads `settings.json`; a missing file means the defaults.
func readSettings(_ directory: String, _ log: Log) throws(Failure) -> Settings {
    let path = "\(directory)/settings.json"
    let bytes: [UInt8]
    do throws(Errno) {
        bytes = try readSmallFile(path, maximumByteCount: maximumDocumentByteCount)
    } catch {
        if error == .noEntry { return Settings() }
        throw Failure("\(path) cannot be read: \(error)")
    }
    do {
        let settings = try Settings.decode(bytes)
        report(settings.warnings, of: path, log)
        return settings
    } catch {
        throw Failure("\(path) is refused: \(error)")
    }
}

/// Logs one line for all ignored keys, and one per invalid value.
func report(_ warnings: [PolicyWarning], of path: String, _ log: Log) {
    var unused: [String] = []
    for warning in warnings {
        if case .unknownKey(let key, _) = warning {
            unused.append(key)
        } else {
            log.warning("\(path): \(warning)")
        }
    }
    if !unused.isEmpty {
        log.info("\(path): not used by this version: \(unused.joined(separator: ", "))")
    }
}
