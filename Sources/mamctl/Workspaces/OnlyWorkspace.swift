// `mount` and `unmount` without paths: of the only workspace that they can mean.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct OnlyWorkspace {
    private let invocation: Invocation
    /// Where daemons serve.
    private let served: [ByteString]
    private let idle: [UnmountedWorkspace]

    init(_ invocation: Invocation) {
        self.invocation = invocation
        let daemons = runningDaemons().map(\.name)
        let others = Places.current.unmountedWorkspaces(except: daemons.map(\.description))
        served = (daemons + others.filter(\.isServed).map(\.name)).compactMap(liveMount)
        idle = others.filter { !$0.isServed }
    }

    /// The places of the only one that is not mounted.
    func toMount() throws(Failure) -> (backing: ByteString, mountPoint: ByteString) {
        if served.isEmpty, idle.isEmpty {
            throw Failure(.notFound, "there is no workspace", next: beginning)
        }
        if idle.isEmpty {
            let places = served.map(\.shown).joined(separator: ", ")
            throw Failure(.usage, "mounted already: \(places)", next: "mamctl status")
        }
        guard let only = idle.first, idle.count == 1, !invocation.arguments.has("name") else {
            throw invocation.misuse("BACKING and MOUNTPOINT are missing")
        }
        if let missing = only.missing { throw missing.failure }
        guard let backing = only.backing, let place = only.deadMount ?? only.mountPoint else {
            throw Failure(
                .usage, "the settings of '\(only.name)' do not say where it was mounted",
                next: .verbatim(only.command))
        }
        guard access(place.cString, F_OK) == 0 || Errno.current != .noEntry else {
            throw Failure(
                .notFound, "\(place.shown), the mount point of '\(only.name)', is not there",
                next: "mkdir \(place.asArgument), or mamctl mount \(backing.asArgument) MOUNTPOINT")
        }
        return (backing, place)
    }

    /// The mount point of the only one that is mounted, even if its daemon has died.
    func toUnmount() throws(Failure) -> ByteString {
        let places = served + idle.compactMap(\.deadMount)
        guard let only = places.first else {
            throw Failure(.usage, "no workspace is mounted", next: "mamctl status")
        }
        guard places.count == 1 else {
            let names = places.map(\.shown).joined(separator: ", ")
            throw Failure(
                .usage, "several workspaces are mounted: \(names)",
                next: "mamctl unmount MOUNTPOINT")
        }
        return only
    }
}
