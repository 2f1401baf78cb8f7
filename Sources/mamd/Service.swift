// What a unit of systemd's does around the daemon: the mount is made, and removed, outside of
// its sandbox.

import Glibc
import MAMFuse
import MAMPlaces
import MAMSystem
import MAMWire

/// The names of what systemd keeps for the daemon.
private enum GivenName {
    static let device = "fuse"
    static let control = "control"
}

/// What systemd gave the daemon, each nil without it.
struct GivenDescriptors {
    /// /dev/fuse of a mount that ``prepareMount(_:)`` made.
    let device: Descriptor?
    /// The listening socket.
    let listener: Descriptor?

    init() {
        let given = givenDescriptors()
        // The mount is to die with this process: programs are refused then, and not kept waiting.
        forgetStoredDescriptors(named: GivenName.device)
        device = given.last { $0.name == GivenName.device }?.descriptor
        listener = given.first { $0.name == GivenName.control }?.descriptor
    }
}

/// Mounts, and hands /dev/fuse to the daemon that this service starts next. A daemon in a mount
/// name space of its own could make no mount that others see.
func prepareMount(_ arguments: Arguments) throws(StartError) {
    let mountPoint = try mountPlace(arguments.mountPoint)
    // Refused if another daemon has it. Until this process ends nobody else takes it.
    let backing = try Backing(
        try absolutePath(arguments.backing), for: .check(isReadOnly: true))
    try checkIsKnown(backing.manifest, backing.root, at: backing.path)
    forgetStoredDescriptors(named: GivenName.device)
    let device = try place(at: mountPoint, report: printError) {
        target throws(MountSession.Failure) in
        try mountByDescriptor(
            on: target, at: mountPoint, name: backing.name.description, arguments.mountOptions)
    }
    guard storeDescriptor(device.raw, named: GivenName.device) else {
        throw StartError(
            "the mount at \(mountPoint.shown) cannot be handed over: --prepare-mount is for units"
                + " of systemd with FileDescriptorStoreMax= and NotifyAccess=exec"
        )
    }
}

/// Only one whose daemon has ended: any other is somebody else's.
func removeMount(_ path: ByteString) throws(StartError) {
    _ = try uncoveredDirectory(at: path)
}
