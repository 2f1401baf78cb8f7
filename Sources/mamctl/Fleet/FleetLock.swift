// One push at a time changes what is signed.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// `body`, while no other push on this machine signs or takes a step. It must ask nobody: the
/// others wait for it. Only the directory's owner can hold the lock, so nobody else stops a push.
func alone<Value>(in place: OrganizationDirectory, _ body: () throws -> Value) throws -> Value {
    let path = place.whole(".push.lock")
    // Where it cannot be made, as for another user of a shared directory, what was signed meanwhile
    // is still seen.
    guard
        let lock = try? openFile(path.cString, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    else { return try body() }
    return try withExtendedLifetime(lock) {
        // Neither does one stop where the file system has no locks.
        guard (try? takesLock(lock, within: 10_000)) ?? true else {
            throw Failure(
                .refused, "\(path.shown): another push is under way: nothing was done",
                next: "run this again when it has ended")
        }
        return try body()
    }
}
