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

extension Lookup {
    /// Starts reading the header of a directory entry. Nil if its look-up does not need the header,
    /// or will report the error itself.
    package func openAhead(_ item: DirectoryStream.Item, in parent: Inode) -> OpenedAhead? {
        let before = epoch
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

    /// More than the header: as much as the kernel reads ahead at a file's start, so that a small
    /// file's content needs no second disk access (`get_init_ra_size` in mm/readahead.c, for 4 KiB
    /// and a window of 128 KiB).
    private static let aheadByteCount: off_t = 16 << 10
}
