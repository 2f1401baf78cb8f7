// A backing directory that the settings know and that is not there: on a disk that is not attached,
// or moved.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct MissingBacking {
    let name: WorkspaceName
    let place: ByteString

    init(of name: WorkspaceName, at place: ByteString) { (self.name, self.place) = (name, place) }

    /// Nil if the settings know no workspace at the path, or it is there, or an interrupted `init`
    /// has still to make it.
    init?(at path: ByteString) {
        let (path, places) = (path.resolvedDirectory ?? path, Places.current)
        guard let name = places.workspace(recordedAt: path), places.isMissing(path),
            access(path.cString, F_OK) != 0
                || access("\(places.state(of: name))/keybags", F_OK) == 0
        else { return nil }
        self.init(of: name, at: path)
    }

    var failure: Failure {
        Failure(
            .notFound,
            hasContent(place)
                ? "\(place.shown), of the workspace '\(name)', has no .mamd/workspace.json any more"
                : "the files of the workspace '\(name)' are not at \(place.shown)", next: next)
    }

    /// Names no removal while files may be there: it would destroy their keys.
    var next: Message {
        guard !hasContent(place) else {
            return "if its files are there: mamctl mount --name \(name) \(place.asArgument)"
                + " MOUNTPOINT; if not, attach their disk"
        }
        return
            "attach their disk; if they were moved: mamctl mount --name \(name) BACKING MOUNTPOINT;"
            + " if they are gone: mamctl workspace remove \(name)"
    }
}
