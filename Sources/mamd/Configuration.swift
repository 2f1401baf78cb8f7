// Settings and policies from the workspace's configuration directory.

import Glibc
import MAMControl
import MAMPolicy
import MAMSystem

/// A document of an administrator's is far smaller.
private let maximumDocumentByteCount = 4 << 20

/// `settings.json`; a missing one means the defaults.
func readSettings(_ directory: String, _ log: Log) throws(StartError) -> Settings {
    let path = "\(directory)/settings.json"
    let bytes: [UInt8]
    do throws(Errno) {
        bytes = try readSmallFile(path, maximumByteCount: maximumDocumentByteCount)
    } catch {
        if error == .noEntry { return Settings() }
        throw StartError("\(path) cannot be read: \(error)")
    }
    do {
        let settings = try Settings.decode(bytes)
        report(settings.warnings, of: path, log)
        return settings
    } catch {
        throw StartError("\(path) is refused: \(error)")
    }
}

/// All `*.json` of the policy directory, merged. A document that cannot be read stops the start: without it
/// files might get a weaker class than their owner's policy says.
func readPolicies(
    _ directory: String, _ settings: Settings, _ log: Log
) throws(StartError) -> PolicyBook {
    var documents: [PolicyDocument] = []
    guard let list = try listDocuments(directory) else { return .empty }
    for name in list.names {
        let path = "\(directory)/\(name.shown)"
        do {
            let bytes = try readSmallFile(
                at: list.directory.raw, name.cString, maximumByteCount: maximumDocumentByteCount)
            for document in try PolicyDocument.decode(bytes) {
                report(document.warnings, of: path, log)
                documents.append(document)
            }
        } catch {
            throw StartError("\(path) is refused: \(error)")
        }
    }
    return PolicyBook(documents: documents, groups: settings.groups)
}

/// One line for all keys that are read past, and one for each value that was not understood.
private func report(_ warnings: [PolicyWarning], of path: String, _ log: Log) {
    var unused: [String] = []
    for warning in warnings {
        if case .unknownKey(let key) = warning {
            unused.append(key)
        } else {
            log.warning("\(path): \(warning)")
        }
    }
    if !unused.isEmpty {
        log.info("\(path): not used by this version: \(unused.joined(separator: ", "))")
    }
}

/// The directory, and the documents in it; nil if there is none.
private func listDocuments(
    _ path: String
) throws(StartError) -> (directory: Descriptor, names: [ByteString])? {
    do throws(Errno) {
        let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
        let names = try entries(of: directory.raw).filter {
            $0.bytes.first != UInt8(ascii: ".") && $0.bytes.suffix(5) == Array(".json".utf8)[...]
        }
        return (directory, names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    } catch {
        if error == .noEntry { return nil }
        throw StartError("\(path) cannot be read: \(error)")
    }
}
