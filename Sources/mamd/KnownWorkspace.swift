// A backing directory is served only as the workspace that this machine's settings declare: its own
// claims select settings, policies and keys, and could be changed to select none.

import Glibc
internal import MAMCommandLine
import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMWire

/// Before the directory is locked. Nil if it is none that may be mounted, or is mounted elsewhere,
/// which the start reports.
func knownWorkspace(_ backing: ByteString) -> WorkspaceManifest? {
    guard let root = try? openFile(backing.cString, O_RDONLY | O_DIRECTORY),
        let own = try? openOwnDirectory(of: root),
        let manifest = try? WorkspaceManifest(in: own),
        (try? Places.current.check(manifest, of: root)) != nil
    else { return nil }
    if let lock = try? openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW) {
        guard Backing.locks(lock, in: own) else { return nil }
    }
    return manifest
}

func checkIsKnown(
    _ manifest: WorkspaceManifest, _ root: Descriptor, at path: ByteString
) throws(Failure) {
    do throws(WorkspaceMismatch) { try Places.current.check(manifest, of: root) } catch {
        throw Failure(text(of: error, manifest, path))
    }
}

private func text(
    of mismatch: WorkspaceMismatch, _ manifest: WorkspaceManifest, _ path: ByteString
) -> Message {
    let name = manifest.name
    let said: Message = "\(path.shown)/.mamd/\(WorkspaceManifest.fileName) names it '\(name)'"
    let record = Places.current.recordPath(of: name)
    func command(_ name: String) -> String {
        "mamctl mount --name \(name) \(path.shown) MOUNTPOINT"
    }
    return switch mismatch {
    case .unknown:
        "\(said), but \(record) does not exist; if you trust it, confirm: \(command("\(name)"))"
    case .otherID:
        "\(said), and by its id it is not the '\(name)' of \(record);"
            + " if you trust it, give it another name here: \(command("OTHER"))"
    case .otherPlace(let place):
        "\(said), which is at \(place.shown) by \(record);"
            + " if it was moved, or this copy is the one to use, confirm: \(command("\(name)"))"
    case .otherName(let other):
        "\(said), and \(Places.current.recordPath(of: other)) that it is '\(other)':"
            + " the former was changed; to write it again: \(command("\(other)"))"
    }
}
