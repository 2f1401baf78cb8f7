// Prepares the state directory, and reads its small files without trusting them.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// Opens the regular file `name` in `directory` for reading; follows no link and does not wait for
/// a FIFO.
func openStateFile(in directory: Int32, _ name: String) throws(Errno) -> (Descriptor, stat) {
    let file = try openFile(at: directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let facts = try status(of: file.raw)
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .invalid }
    return (file, facts)
}

/// At most `byteCount` bytes of a state file, plus one more if it is longer, so that its length
/// shows.
func readStateFile(
    in directory: Int32, _ name: String, byteCount: Int
) throws(Errno) -> [UInt8] {
    let (file, _) = try openStateFile(in: directory, name)
    return try readHead(of: file.raw, byteCount: byteCount + 1)
}

let openDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/// Opens a subdirectory, creating it with mode 0700 if missing.
func openStateDirectory(in directory: Int32, _ name: String) throws(Errno) -> Descriptor {
    do throws(Errno) {
        return try openFile(at: directory, name, openDirectoryFlags)
    } catch {
        guard error == .noEntry else { throw error }
    }
    do throws(Errno) {
        _ = try retrying { mkdirat(directory, name, 0o700) }
    } catch {
        guard error == .exists else { throw error }
    }
    try synchronize(directory)
    return try openFile(at: directory, name, openDirectoryFlags)
}

/// Removes temporary files that a crash left. Does not overwrite them: one may be another link to a
/// file in use.
func removeUnfinishedFiles(in directory: Int32) throws(Errno) {
    for name in try unfinishedFiles(in: directory) { try removeFile(in: directory, named: name) }
}

/// It begins with a known magic and a version above the known ones.
package struct NewerRecord: Equatable, Sendable {
    /// Relative to the state directory.
    package let fileName: String
    package let version: Int
}

extension NewerRecord: CustomStringConvertible {
    package var description: String {
        "a newer mamd wrote \(fileName) (format version \(version)), which is left as it is:"
            + " install that mamd"
    }
}

/// Loads the device secret, or creates it if there is no account yet. Unless `isReadOnly`, removes
/// leftovers of a crash; everything is durable on return.
func loadDeviceSecret(
    in directory: Int32, for keybags: KeybagStore, isReadOnly: Bool, credential: SecretBytes?
) throws(KeyringError) -> SecretBytes {
    let isFirstStart = try storing { () throws(Errno) in try !keybags.hasKeybags() }
    let secret = try loadDeviceSecret(
        in: directory, mayCreate: isFirstStart, credential: credential)
    try storing { () throws(Errno) in
        if isReadOnly { return }
        try removeUnfinishedFiles(in: directory)
        try makeDurable(directory, withAllThatLeadsToIt: isFirstStart)
    }
    return secret
}

/// Makes the secret and its parent directories durable, because a keybag must not survive a crash
/// that they do not. The process that created them may have been killed before it synced, so this
/// is repeated at each start until the first account is registered.
private func makeDurable(
    _ directory: Int32, withAllThatLeadsToIt: Bool
) throws(Errno) {
    try withAllThatLeadsToIt
        ? synchronizeFileSystem(of: directory) : synchronize(directory)
}

private func loadDeviceSecret(
    in directory: Int32, mayCreate: Bool, credential: SecretBytes?
) throws(KeyringError) -> SecretBytes {
    do throws(DeviceSecretError) {
        return try DeviceSecret.load(
            in: directory, mayCreate: mayCreate, credential: credential)
    } catch { throw .deviceSecret(error) }
}

/// Makes a call on the state directory and converts its error to the keyring's.
func storing<Value>(_ call: () throws(Errno) -> Value) throws(KeyringError) -> Value {
    do throws(Errno) { return try call() } catch { throw .storage(error) }
}
