// A directory's entries with their attributes: the reply to one request.

internal import CFuse3
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// First come the names that the reply has room for, then the look-ups. An entry's place in the
/// reply depends only on the names before it, so two threads may do the look-ups in any order, each
/// writing its result in place.
///
/// Unchecked: one thread fills it, then each entry belongs to one thread, then all to the first
/// again.
final class Listing: SharedWork, @unchecked Sendable {
    private struct Slot {
        let item: DirectoryStream.Item
        /// Its place in the reply.
        let offset: Int
        /// Its look-up is counted; 0 for none.
        var node: UInt64 = 0
        var opened: OpenedAhead?
    }

    /// On a disk, all headers are requested before the first is waited for.
    private enum Stage {
        case openingAhead, lookingUp
    }

    /// More than fits the C library's buffer. A program with a larger one gets the rest with the
    /// next request.
    private static let maximumCount = 512
    private static let nameByteCount = 64 << 10

    private let places = UnsafeMutablePointer<Slot>.allocate(capacity: maximumCount)
    private let names = UnsafeMutablePointer<CChar>.allocate(capacity: nameByteCount)
    private var count = 0
    private var usedNames = 0
    private var used = 0
    private var stage = Stage.lookingUp

    // Of the request that it is filled for.
    private var request: Request?
    private var directory: Inode?
    private var isFirst = false
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        places.deallocate()
        names.deallocate()
    }

    /// `isFirst`: it begins with the directory's first entry.
    func begin(
        _ request: Request, _ directory: Inode, isFirst: Bool, _ room: UnsafeMutableRawBufferPointer
    ) {
        self.request = request
        self.directory = directory
        self.isFirst = isFirst
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
        (places + count).initialize(to: Slot(item: kept, offset: used))
        usedNames += length
        used += needed
        count += 1
        return true
    }

    /// Looks all entries up, and replies.
    func finish(in mount: Mount) {
        guard let request else { return }
        if mount.tree.readsAhead {
            stage = .openingAhead
            mount.helpers.share(self, count: count)
        }
        stage = .lookingUp
        mount.helpers.share(self, count: count)
        if mount.tree.readsAhead, let directory {
            let nodes = (0..<count).lazy.map { self.places[$0].node }
            mount.tree.listed.add(
                nodes.filter { $0 != 0 }, of: directory.node, isFirst: isFirst)
        }
        guard !request.reply(UnsafeRawBufferPointer(rebasing: room[..<used])) else { return }
        // The kernel did not take it.
        for part in 0..<count where places[part].node != 0 {
            mount.tree.forget(places[part].node, count: 1)
        }
    }

    /// Forgets its request.
    func end() {
        request = nil
        directory = nil
        room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    func doPart(_ part: Int) {
        guard let request, let directory else { return }
        switch stage {
        case .openingAhead:
            switch Lookup(request.tree).lookAhead(places[part].item, in: directory) {
            case .found(let entry): put(entry, at: part, for: request)
            case .opened(let opened): places[part].opened = opened
            case nil: break
            }
        case .lookingUp:
            guard places[part].node == 0 else { return }
            put(find(places[part], in: directory, request.tree), at: part, for: request)
        }
    }

    private func put(_ entry: Entry?, at part: Int, for request: Request) {
        let place = places[part]
        places[part].opened = nil
        var parameters = fuse_entry_param()
        if let entry {
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

    /// Nil for "." and "..", and for an entry that is gone, unreadable or refused: readdir does not
    /// fail because of one. Node 0 tells the kernel that it was not looked up.
    private func find(_ place: Slot, in directory: Inode, _ tree: Tree) -> Entry? {
        if isDots(place.item.name) { return nil }
        let lookup = Lookup(tree)
        if let opened = place.opened {
            return try? lookup.admitted(lookup.lookUp(place.item, in: directory, opened))
        }
        return try? lookup.admitted(lookup.lookUp(place.item, in: directory))
    }

    private func isDots(_ name: Name) -> Bool { strcmp(name, ".") == 0 || strcmp(name, "..") == 0 }
}

/// Keeps listings for reuse: each is as large as a reply.
final class ListingPool: Sendable {
    private static let maximumIdle = 4
    private let idle = Mutex<[Listing]>([])

    func take() -> Listing { idle.withLock { $0.popLast() } ?? Listing() }

    func giveBack(_ listing: Listing) {
        listing.end()
        idle.withLock { if $0.count < Self.maximumIdle { $0.append(listing) } }
    }
}

/// What readdir(3) reports of an entry without a look-up.
func shortAttributes(of item: DirectoryStream.Item) -> stat {
    var attributes = stat()
    attributes.st_ino = ino_t(item.number)
    attributes.st_mode = mode_t(item.kind) << 12
    return attributes
}
