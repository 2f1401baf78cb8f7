// The parts of the systemd unit outside the daemon: mounting and unmounting happen outside its
// sandbox.

import Glibc
internal import MAMCommandLine
import MAMFuse
internal import MAMModel
import MAMPlaces
import MAMService
import MAMSystem
import MAMWire

/// The names of descriptors stored with systemd.
private enum GivenName {
    static let device = "fuse"
    static let control = "control"
}

/// The descriptors that systemd passed; each nil if missing.
struct GivenDescriptors {
    /// /dev/fuse of the mount that ``prepareMount(_:)`` made.
    let device: Descriptor?
    /// The listening socket.
    let listener: Descriptor?

    init() {
        let given = givenDescriptors()
        // The mount must die with this process, so that programs get errors instead of waiting.
        forgetStoredDescriptors(named: GivenName.device)
        device = given.last { $0.name == GivenName.device }?.descriptor
        listener = given.first { $0.name == GivenName.control }?.descriptor
    }
}

/// Mounts, and passes /dev/fuse to the daemon that this service starts next. A daemon in its own
/// mount namespace could not make a mount that others see.
func prepareMount(_ arguments: StartOptions) throws(Failure) {
    let mountPoint = try mountPlace(arguments.mountPoint)
    // Fails if another daemon holds the lock, and keeps others out until this process ends.
    let backing = try Backing(
        try absolutePath(arguments.backing), for: .check(isReadOnly: true))
    try checkIsKnown(backing.manifest, backing.root, at: backing.path)
    forgetStoredDescriptors(named: GivenName.device)
    try shutMountPoint(mountPoint, of: backing.name, arguments.shutting, report: complain)
    let device = try place(
        at: mountPoint, of: backing.name, arguments.shutting, report: complain
    ) {
        target throws(MountSession.Failure) in
        try mountByDescriptor(
            on: target, at: mountPoint, name: backing.name.description, arguments.mountOptions)
    }
    guard storeDescriptor(device.raw, named: GivenName.device) else {
        throw Failure(
            "the mount at \(mountPoint.shown) cannot be handed over: --prepare-mount is for units"
                + " of systemd with FileDescriptorStoreMax= and NotifyAccess=exec"
        )
    }
}

/// Only the mount of a daemon that has ended.
func removeMount(_ path: ByteString) throws(Failure) {
    _ = try uncoveredDirectory(at: path)
}
