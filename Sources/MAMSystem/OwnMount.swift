// The daemon's own mount, even after it was moved.

internal import CShims
internal import Glibc
package import MAMModel

/// Identified by its mount id, because its original path may lead to another mount by now; and by
/// its device, because the kernel may reuse the id once this mount is gone, while a copy in another
/// mount namespace keeps this daemon serving.
package struct OwnMount: Sendable {
    private let id: Int
    /// The number of its file system, such as `0:45`.
    package let device: String

    /// The same as `st_dev`.
    package let deviceNumber: UInt64

    package init(id: Int) throws(Errno) {
        guard let mount = try MountTable().mount(id), mount.type == Mount.workspaceType,
            let number = Self.number(mount.device)
        else { throw .noEntry }
        (self.id, device, deviceNumber) = (id, mount.device, number)
    }

    private static func number(_ device: String) -> UInt64? {
        let parts = device.split(separator: ":").map { UInt32($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        return mam_device_number(major, minor)
    }

    /// The topmost mount at the path.
    package init(at place: ByteString) throws(Errno) {
        let root = try openFile(place.cString, openPathOnly)
        try self.init(
            id: withExtendedLifetime(root) { () throws(Errno) in try mountID(of: root.raw) })
    }

    /// Where it is now; nil if it is gone.
    package var place: ByteString? {
        guard let mount = try? MountTable().mount(id), mount.device == device else { return nil }
        return ByteString(mount.mountPoint)
    }

    /// Unmounts lazily, so also while files are open. Does nothing if the mount is gone.
    package func takeAway() throws(Errno) {
        guard let mount = try MountTable().mount(id), mount.device == device else { return }
        let place = ByteString(mount.mountPoint)
        let root = try openFile(place.cString, openPathOnly)
        // Another mount covers it, or it was just moved.
        guard try mountID(of: root.raw) == id else { throw .busy }
        try unmount(rootedAt: root, place)
    }
}
