// Other file systems in a workspace, which hold in clear what a contained program writes there:
// Landlock's rule for the workspace holds for all that is mounted in it.

internal import CContainment
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem

extension MountTable {
    /// A mount of another file system on a workspace, in it, or on such a mount. Landlock goes from
    /// a mount to its parent as this does; paths and order say less, since mounts are moved.
    /// `device`: the workspace's.
    func stranger(inWorkspace device: String) -> Mount? {
        let byID = Dictionary(mounts.map { ($0.id, $0) }) { _, last in last }
        func isInside(_ mount: Mount) -> Bool {
            var next = byID[mount.parent]
            // Not that of a mount that is its own parent.
            for _ in mounts {
                guard let mount = next else { return false }
                if mount.device == device, mount.type == Mount.workspaceType { return true }
                next = byID[mount.parent]
            }
            return false
        }
        return mounts.first { $0.device != device && isInside($0) }
    }
}

extension ContainmentRules {
    /// Says why the supervisor has ended a command, if that is why.
    func tellOfCover() {
        let device = fileSystem.text ?? ""
        guard let other = try? MountTable().stranger(inWorkspace: device) else { return }
        let place = ByteString(other.mountPoint).shown
        printError(
            "mamctl: \(place), in the workspace, has become another file system (\(other.type)):"
                + " the command was ended")
    }
}

/// Whether there is one, for the supervisor: a program that writes there would not be contained.
func isCovered(_ rules: UnsafePointer<mam_containment>?) -> Int32 {
    guard let device = rules?.pointee.file_system else { return 0 }
    // What cannot be read could say so.
    guard let table = try? MountTable() else { return 1 }
    guard table.stranger(inWorkspace: String(cString: device)) != nil else { return 0 }
    // Only now: the number was another's when the table was read, if it is.
    return mam_has_ended(rules) == 0 ? 1 : 0
}
