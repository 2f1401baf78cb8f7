// What a mount says about the file system below, and about what limits the daemon.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
import MAMSystem

func warn(of backing: Backing, _ probe: StoreProbe?, _ log: Log, _ report: (String) -> Void) {
    warnOfSmallBlocks(of: backing, report)
    for need in probe?.lacking ?? [] {
        log.info(StoreProbe.loss(of: need, at: backing.path).english)
    }
    reportLimits(report)
}

/// Tries what its file system can do, and refuses one on which files are lost or cannot be made.
/// Nil where nothing was tried: on a read-only mount, and on a full disk.
func probe(
    _ backing: Backing, isReadOnly: Bool, _ report: (String) -> Void
) throws(Failure) -> StoreProbe? {
    guard !isReadOnly, let work = backing.work else { return nil }
    let probe: StoreProbe
    do throws(Errno) { probe = try StoreProbe(in: work) } catch {
        if !error.meansNoRoom {
            report("nothing can be created in \(backing.path.shown)/.mamd/work: \(error)")
        }
        return nil
    }
    if let need = probe.lacking.first(where: \.isVital) {
        throw Failure(
            "\(StoreProbe.loss(of: need, at: backing.path)); mount it with -o ro, and copy the"
                + " files to another disk")
    }
    return probe
}

/// There no file would be opened, nor checked: the tree leaves other file systems out. Looks at
/// a file that is there, as nothing can be made on a read-only disk.
func refuseTwoDevices(in own: Descriptor, _ path: ByteString) throws(Failure) {
    guard let file = try? status(at: own.raw, WorkspaceManifest.fileName),
        let directory = try? status(of: own.raw), file.st_dev != directory.st_dev
    else { return }
    let loss = StoreProbe.loss(of: .oneDevice, at: path)
    throw Failure("\(loss); mount one whose layers are on one disk, or copy it to another")
}

/// `init` refuses such a file system, but the directory may have been moved or copied there.
private func warnOfSmallBlocks(of backing: Backing, _ report: (String) -> Void) {
    guard let size = try? blockByteCount(ofFileSystem: backing.root), size < safeBlockByteCount
    else { return }
    report(
        "\(backing.path.shown) is on a file system with blocks of \(size) bytes: "
            + "a power cut may destroy files that are being written; "
            + "move it to one with blocks of 4096"
    )
}
