// Headers that a listing is going to need, read from the disk all at once.

internal import Glibc
package import MAMSystem

/// A file that was opened before its turn; what it is, is asked when that comes.
package struct OpenedAhead {
    package let file: Descriptor
    /// Before it was opened.
    package let before: Lookup.Moment
}

extension Lookup {
    /// Has the kernel begin to read the header of a directory's entry. Nil if its look-up does not
    /// need that, or can tell better why it cannot be had.
    package func openAhead(_ item: DirectoryStream.Item, in parent: Inode) -> OpenedAhead? {
        let before = moment
        guard item.kind == DT_REG, !tree.isHidden(item.name, in: parent),
            tree.table.known(BackingID(device: tree.rootDevice, inode: item.number)) == nil,
            let file = openWhatMayBeRead(item.name, in: parent.handle)
        else { return nil }
        posix_fadvise(file.raw, 0, Self.aheadByteCount, POSIX_FADV_WILLNEED)
        return OpenedAhead(file: file, before: before)
    }

    package func lookUp(
        _ item: DirectoryStream.Item, in parent: Inode, _ opened: OpenedAhead
    ) throws(Errno) -> Entry {
        guard let found = FoundFile(opened: opened.file) else {
            return try lookUp(item, in: parent)
        }
        return try enter(found, named: item.name, in: parent, since: opened.before)
    }

    /// Not the header alone: as much as the kernel reads for who reads at a file's start, so that a
    /// small file's content is not a second trip to the disk (`get_init_ra_size` in mm/readahead.c,
    /// for 4 KiB and a window of 128 KiB).
    private static let aheadByteCount: off_t = 16 << 10
}
