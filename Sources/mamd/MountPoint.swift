// The mount point before and after mounting: what a killed daemon left there, and what the mount hides.

import Glibc
import MAMControl
import MAMSystem

/// The directory that the mount will cover, with dead mounts taken away from over it; nil if it cannot be read.
///
/// Called at the last moment: while a dead mount stands programs are refused, and without it they would write into this
/// directory, in the clear and out of sight.
func uncoveredDirectory(at mountPoint: ByteString) throws(StartError) -> Descriptor? {
    do throws(Errno) { try removeDeadMounts(at: mountPoint) } catch {
        throw StartError(
            "\(mountPoint.shown) has the mount of a daemon that died, and it cannot be unmounted: \(error)"
        )
    }
    return try? openFile(mountPoint.cString, O_RDONLY | O_DIRECTORY)
}

/// What lies in the covered directory, as a warning; nil if nothing does.
func hiddenFiles(in directory: Descriptor, at mountPoint: ByteString) -> String? {
    let names = withExtendedLifetime(directory) { (try? entries(of: directory.raw)) ?? [] }
    guard let first = names.first else { return nil }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return
        "\(mountPoint.shown) was not empty: \(first.shown)\(others) cannot be seen while it is mounted. They are not protected; unmount, and move them in"
}
