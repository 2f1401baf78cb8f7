// Reads the settings from the workspace's configuration directory at the start.

import Glibc
internal import MAMCommandLine
internal import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMWire

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
