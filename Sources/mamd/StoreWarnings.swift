// What a mount says about the file system below, and about what limits the daemon.

internal import MAMPlaces
import MAMSystem
internal import MAMWords

func warn(of backing: Backing, _ probe: StoreProbe?, _ report: (String) -> Void) {
    warnOfSmallBlocks(of: backing, report)
    if let probe { warnOfLosses(in: backing, probe, report) }
    reportLimits(report)
}

/// Tries what its file system can do. Nil on a read-only mount; and on a full disk, which says
/// nothing about it. Refuses what would show the workspace's own directory, and one file for two.
func probe(_ backing: Backing, isReadOnly: Bool) throws(StartError) -> StoreProbe? {
    guard !isReadOnly, let work = backing.work, let probe = try? StoreProbe(in: work) else {
        return nil
    }
    guard !probe.lacking.contains(.caseInNames) else {
        let loss = StoreProbe.loss(of: .caseInNames, at: backing.path).text
        throw StartError("\(loss); mount it with -o ro, and copy the files to another disk")
    }
    return probe
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

/// `init` refuses or tells the same.
private func warnOfLosses(in backing: Backing, _ probe: StoreProbe, _ report: (String) -> Void) {
    for loss in probe.lacking.map({ StoreProbe.loss(of: $0, at: backing.path) }) where loss.isGrave
    {
        report(loss.text.english)
    }
}
