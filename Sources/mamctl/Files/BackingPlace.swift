// Backing directories, for verbs that write files: what is put there goes past the daemon, which
// would show it as somebody else's plain file, and a backup would have it in clear.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// The directory itself, or the nearest one above it; nil if none is one.
func backingDirectory(around path: ByteString) -> ByteString? {
    var place = path
    while access(place.appending(".mamd/workspace.json").cString, F_OK) != 0 {
        if place.directory == place { return nil }
        place = place.directory
    }
    return place
}

/// A workspace's backing directory, found from a directory in it.
struct BackingPlace {
    let name: WorkspaceName
    private let root: Descriptor

    /// Nil if the directory is none and below none, or is no more. By `..`: the path may lead
    /// elsewhere by now.
    init?(around directory: Descriptor) {
        var directory = directory
        while true {
            if let found = WorkspaceManifest(below: directory) {
                (name, root) = (found.name, directory)
                return
            }
            guard let above = try? openFile(at: directory.raw, "..", openPathOnly | O_DIRECTORY),
                let (here, there) = try? (status(of: directory.raw), status(of: above.raw)),
                (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino)
            else { return nil }
            directory = above
        }
    }

    /// Whether a daemon serves it. None serves a copy.
    private var isServed: Bool { (try? openOwnDirectory(of: root)).map(hasDaemon) ?? false }

    /// Refuses to put a file into the directory if it is in one that a daemon serves.
    static func refuse(_ directory: Descriptor, for path: ByteString) throws(Failure) {
        // A mount may lie in another workspace's directory.
        guard workspace(of: directory) == nil, let found = BackingPlace(around: directory),
            found.isServed
        else { return }
        let mount = liveMount(of: found.name).map { ", \($0.asArgument)" as Message } ?? ""
        throw Failure(
            .failure,
            "\(path.shown) would be in the backing directory of the mounted workspace"
                + " '\(found.name)', past the daemon that encrypts",
            next: "name a place outside, or in the workspace's mount\(mount)")
    }
}
