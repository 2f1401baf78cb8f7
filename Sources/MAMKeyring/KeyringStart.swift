// Prepares the state directory before the first account is loaded.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

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
