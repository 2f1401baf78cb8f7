// What a start does with the state directory before the first account is loaded.

internal import MAMCrypto
internal import MAMSystem

/// Loads the device secret, and makes it where there is no account yet. Unless `isReadOnly`, what
/// a crash left beside it is removed, and all of it is durable when this returns.
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

/// A keybag must not survive a crash that the secret does not, nor a directory above them. Whoever
/// made these may have been killed before they were synced, so that it is done at each start: of
/// all that leads here until the first account is registered.
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

/// Runs a call on the state directory whose failure is the keyring's.
func storing<Value>(_ call: () throws(Errno) -> Value) throws(KeyringError) -> Value {
    do throws(Errno) { return try call() } catch { throw .storage(error) }
}
