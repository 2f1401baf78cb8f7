// What a killed daemon leaves: a mount that answers nothing, and is in the way of the next one.

internal import Glibc
package import MAMSystem

/// True of a workspace's mount whose daemon has died. While it stands, nobody can write into the directory below it.
package func isDeadMount(_ place: ByteString) throws(Errno) -> Bool {
    // Attributes may still be in the kernel's cache; the free space never is.
    var space = statvfs()
    guard statvfs(place.cString, &space) != 0 else { return false }
    // Aborted: the daemon died while it was asked.
    guard [.notConnected, .connectionAborted].contains(Errno.current) else { return false }
    return try MountTable().mount(at: place.bytes)?.workspace != nil
}

/// Takes all dead mounts at the place away, also while programs have files open there.
package func removeDeadMounts(at place: ByteString) throws(Errno) {
    while try isDeadMount(place) { try unmount(place, lazily: true) }
}
