// A directory's entries with their attributes: the reply to one request.

internal import CFuse3
internal import Glibc
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace
internal import Synchronization

/// First the names that the reply has room for, then what each is: an entry's place in the reply depends on the names before
/// it alone, so the look-ups may be made in any order and on two threads, each writing what it found in its place.
///
/// Unchecked: it is filled by one thread, then each entry is one thread's, then it is one thread's again.
final class Listing: SharedWork, @unchecked Sendable {
    private struct Place {
        let item: DirectoryStream.Item
        /// Where it stands in the reply.
        let offset: Int
        /// Counted as looked up; 0 for none.
        var node: UInt64 = 0
        var opened: OpenedAhead?
    }

    /// Where a disk has to be waited for, all headers are asked for before the first is waited for.
    private enum Stage {
        case openingAhead, lookingUp
    }

    /// More than the kernel asks for in one request of a program that reads with the C library's buffer. Who has a larger one
    /// gets the rest with the next request.
    private static let maximumCount = 512
    private static let nameByteCount = 64 << 10

    private let places = UnsafeMutablePointer<Place>.allocate(capacity: maximumCount)
    private let names = UnsafeMutablePointer<CChar>.allocate(capacity: nameByteCount)
    private var count = 0
    private var usedNames = 0
    private var used = 0
    private var stage = Stage.lookingUp

    /// Of the request that it is filled for.
    private var request: Request?
    private var directory: Inode?
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        places.deallocate()
        names.deallocate()
    }

    func begin(_ request: Request, _ directory: Inode, _ room: UnsafeMutableRawBufferPointer) {
        self.request = request
        self.directory = directory
        self.room = room
        (count, usedNames, used) = (0, 0, 0)
    }

    var isEmpty: Bool { count == 0 }

    /// False if there is no more room.
    func add(_ item: DirectoryStream.Item) -> Bool {
        guard let request, count < Self.maximumCount else { return false }
        let length = strlen(item.name) + 1
        let needed = fuse_add_direntry_plus(request.raw, nil, 0, item.name, nil, 0)
        guard needed <= room.count - used, length <= Self.nameByteCount - usedNames else {
            return false
        }
        let name = names + usedNames
        name.update(from: item.name, count: length)
        let kept = DirectoryStream.Item(
            name: name, number: item.number, kind: item.kind, next: item.next)
        (places + count).initialize(to: Place(item: kept, offset: used))
        usedNames += length
        used += needed
        count += 1
        return true
    }

    /// Looks all of them up, and replies.
    func finish(in mount: Mount) {
        guard let request else { return }
        if mount.tree.readsAhead {
            stage = .openingAhead
            mount.helpers.share(self, count: count)
        }
        stage = .lookingUp
        mount.helpers.share(self, count: count)
        guard !request.reply(UnsafeRawBufferPointer(rebasing: room[..<used])) else { return }
        // The kernel did not take it.
        for part in 0..<count where places[part].node != 0 {
            mount.tree.forget(places[part].node, count: 1)
        }
    }

    /// Lets go of what it was filled for.
    func end() {
        request = nil
        directory = nil
        room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    func doPart(_ part: Int) {
        guard let request, let directory else { return }
        switch stage {
        case .openingAhead:
            places[part].opened = Lookup(request.tree).openAhead(places[part].item, in: directory)
        case .lookingUp: lookUp(part, in: directory, for: request)
        }
    }

    private func lookUp(_ part: Int, in directory: Inode, for request: Request) {
        let place = places[part]
        places[part].opened = nil
        var parameters = fuse_entry_param()
        if let entry = find(place, in: directory, request.tree) {
            places[part].node = entry.inode.node
            parameters = fuse_entry_param(entry)
        } else {
            parameters.attr = shortAttributes(of: place.item)
        }
        let start = room.baseAddress.map { ($0 + place.offset).assumingMemoryBound(to: CChar.self) }
        _ = fuse_add_direntry_plus(
            request.raw, start, room.count - place.offset, place.item.name, &parameters,
            off_t(place.item.next))
    }

    /// Nil for "." and "..", and for an entry that went meanwhile or cannot be looked at: readdir does not fail because of one.
    /// It is listed with node 0, which tells the kernel that there is no look-up.
    private func find(_ place: Place, in directory: Inode, _ tree: Tree) -> Entry? {
        if isDots(place.item.name) { return nil }
        if let opened = place.opened {
            return try? Lookup(tree).lookUp(place.item, in: directory, opened)
        }
        return try? Lookup(tree).lookUp(place.item, in: directory)
    }

    private func isDots(_ name: Name) -> Bool { strcmp(name, ".") == 0 || strcmp(name, "..") == 0 }
}

/// Listings are kept: a request's would take as much memory as its reply.
final class ListingPool: Sendable {
    private static let maximumIdle = 4
    private let idle = Mutex<[Listing]>([])

    func take() -> Listing { idle.withLock { $0.popLast() } ?? Listing() }

    func giveBack(_ listing: Listing) {
        listing.end()
        idle.withLock { if $0.count < Self.maximumIdle { $0.append(listing) } }
    }
}

/// What can be told of an entry without a look-up.
func shortAttributes(of item: DirectoryStream.Item) -> stat {
    var attributes = stat()
    attributes.st_ino = ino_t(item.number)
    attributes.st_mode = mode_t(item.kind) << 12
    return attributes
}
