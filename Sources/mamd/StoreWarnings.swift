// What a mount says about the file system below, and about what limits the daemon.

internal import MAMPlaces
import MAMSystem
internal import MAMWords

func warn(of backing: Backing, isReadOnly: Bool, _ report: (String) -> Void) {
    warnOfSmallBlocks(of: backing, report)
    if !isReadOnly { warnOfLosses(in: backing, report) }
    reportLimits(report)
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

/// `init` refuses or tells the same. A full disk says nothing about what its file system can do.
private func warnOfLosses(in backing: Backing, _ report: (String) -> Void) {
    guard let work = backing.work, let probe = try? StoreProbe(in: work) else { return }
    for loss in probe.lacking.map({ StoreProbe.loss(of: $0, at: backing.path) }) where loss.isGrave
    {
        report(loss.text.english)
    }
}
