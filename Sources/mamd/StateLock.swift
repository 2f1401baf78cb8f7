// One daemon per set of keys: copies of a workspace share its name, and so its state directory.

import Glibc
internal import MAMCommandLine
internal import MAMModel
import MAMSystem

/// Taken before anything in it is read, and held while the daemon runs. Nil if there is no
/// directory.
func lockState(_ path: String) throws(Failure) -> Descriptor? {
    let directory: Descriptor
    do throws(Errno) { directory = try openFile(path, O_RDONLY | O_DIRECTORY) } catch {
        if error == .noEntry { return nil }
        throw Failure("\(path) cannot be opened: \(error)")
    }
    guard takesLock(directory) else {
        throw Failure(
            "another daemon uses \(path), for another copy of this workspace: mamctl status;"
                + " rename one of the copies, or unmount it first"
        )
    }
    return directory
}
