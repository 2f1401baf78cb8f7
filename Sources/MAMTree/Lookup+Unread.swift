// Files that a listing made known without reading their header (docs/adr/0102).

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
internal import MAMSystem

extension Lookup {
    /// Whether a listing may take it for a sealed file, with the size that a sealed file of its
    /// `st_size` has.
    func isNoted(_ found: FoundFile) -> Bool {
        found.mayRead && Extent(physicalSize: Int64(found.status.st_size)) != nil
            && SealedNote.isOn(found.handle)
    }

    /// Reads the header of a listed file. Code that decides by the header calls this first.
    ///
    /// `ESTALE` if the file is not sealed: the kernel has a wrong size for its number and, with the
    /// write-back cache, keeps it. The next look-up gives the file another number. What asks by a
    /// descriptor would get it again and again: so a damaged file, which nobody can read, keeps it,
    /// and is read anew each time: it may have become a plain one, as by the removal of its note.
    package func read(_ inode: Inode) throws(Errno) {
        guard inode.isShownAsSealed else { return }
        // Not under the inode's lock, because the disk may hang.
        let facts: FileFacts
        do throws(Errno) {
            facts = try FileFacts(
                of: inode.handle, physicalSize: Int64(status(of: inode.handle.raw).st_size))
        } catch {
            // Another thread was first, and the handle leads to a file written anew.
            guard inode.isShownAsSealed else { return }
            throw error
        }
        try inode.withState { state throws(Errno) in
            guard state.isShownAsSealed else { return }
            state.facts = facts
            if facts.isOfSealed { return }
            tree.table.replace(inode, &state)
            tree.cache.invalidateSoon(inode)
            throw .staleHandle
        }
    }

    /// False, and the look-up not counted, if a known file is to be looked up again.
    func isRight(_ known: Inode, isNoted: Bool) throws(Errno) -> Bool {
        if isNoted { return true }
        do throws(Errno) { try read(known) } catch {
            tree.forget(known.node, count: 1)
            if error == .staleHandle { return false }
            throw error
        }
        return true
    }

    /// Before a program opens it; what it may open next is read ahead.
    package func readToOpen(_ inode: Inode, for caller: Caller) throws(Errno) {
        guard inode.isShownAsSealed else { return }
        if tree.readsAhead {
            readAhead(inode.handle)
            let parent = inode.withState { $0.lastParent }
            for node in tree.listed.next(after: inode.node, in: parent) {
                if let next = try? tree.table.inode(node), next.isUnread { readAhead(next.handle) }
            }
        }
        do throws(Errno) { try read(inode) } catch {
            throw error == .staleHandle ? tree.table.sentBack.add(inode, for: caller) : error
        }
    }
}

extension FileFacts {
    /// Whether it was sealed, as its note says, even if its header is lost.
    fileprivate var isOfSealed: Bool {
        switch self {
        case .protected(let header): header.isManaged
        case .damaged, .unwritten: true
        case .empty, .foreign: false
        }
    }
}
