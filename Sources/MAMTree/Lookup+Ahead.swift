// Reads the headers that a directory listing will need in parallel.

internal import Glibc
package import MAMModel
package import MAMSystem

/// A file opened in advance; its status is read when the listing reaches it.
package struct OpenedAhead {
    package let file: Descriptor
    /// Taken before it was opened.
    package let before: Lookup.Epoch
}

/// What is done for a directory entry before its header is waited for.
package enum Ahead {
    /// A sealed file, whose header is not needed.
    case found(Entry)
    case opened(OpenedAhead)
}

extension Lookup {
    /// Looks a sealed file up, and starts reading the header of another. Nil if the look-up does
    /// not need the header, or will report the error itself.
    package func lookAhead(_ item: DirectoryStream.Item, in parent: Inode) -> Ahead? {
        let before = epoch
        guard item.kind == DT_REG, !tree.isHidden(item.name, in: parent),
            tree.table.known(BackingID(device: tree.rootDevice, inode: item.number)) == nil,
            let file = openWhatMayBeRead(item.name, in: parent.handle)
        else { return nil }
        if !before.recovers, let found = FoundFile(opened: file), isNoted(found) {
            // By now the name may lead to another kind of file.
            let entry = try? admitted(
                enter(found, named: item.name, in: parent, since: before, isNoted: true))
            return entry.map { .found($0) }
        }
        readAhead(file)
        return .opened(OpenedAhead(file: file, before: before))
    }

    package func lookUp(
        _ item: DirectoryStream.Item, in parent: Inode, _ opened: OpenedAhead
    ) throws(Errno) -> Entry {
        guard let found = FoundFile(opened: opened.file) else {
            return try lookUp(item, in: parent)
        }
        return try enter(found, named: item.name, in: parent, since: opened.before)
    }

    /// More than the header: as much as the kernel reads ahead at a file's start, so that a small
    /// file's content needs no second disk access (`get_init_ra_size` in mm/readahead.c, for 4 KiB
    /// and a window of 128 KiB).
    func readAhead(_ file: Descriptor) {
        posix_fadvise(file.raw, 0, 16 << 10, POSIX_FADV_WILLNEED)
    }
}
