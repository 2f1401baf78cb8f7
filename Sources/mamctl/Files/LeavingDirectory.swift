// A directory of the copy that `leave` makes, and the copies in it.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct LeavingDirectory {
    let descriptor: Descriptor
    /// Exactly as an earlier run gave them.
    private let earlier: Set<ByteString>
    private let reserved: Set<ByteString>

    init(_ descriptor: Descriptor, isTop: Bool = false) throws(Errno) {
        self.descriptor = descriptor
        earlier = Set(try entries(of: descriptor.raw))
        reserved = isTop ? [LeavingPlace.markName, LeavingPlace.temporaryName] : []
    }

    /// What is found under a name that no run gave is another file's copy: for vfat `a` is `A`.
    func refuseTaken(_ name: ByteString, of path: ByteString) throws(Failure) {
        guard reserved.contains(name) || !earlier.contains(name) && found(name) != nil else {
            return
        }
        throw Failure(
            .failure,
            "\(path.shown): another file has its name in the copy, where two names may be one",
            next: "give it another name, or copy to another file system")
    }

    func found(_ name: ByteString) -> stat? { try? status(at: descriptor.raw, name.cString) }

    /// The copy that an earlier run made; never a link's target.
    func openCopy(_ name: ByteString) throws(Errno) -> Descriptor {
        try openFile(
            at: descriptor.raw, name.cString, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }
}

/// Of an `O_PATH` descriptor of the link itself.
func linkTarget(at link: Descriptor) throws(Errno) -> ByteString {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying { readlinkat(link.raw, "", &buffer, buffer.count) }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

/// Whether two open files have the same content.
func haveSameContent(_ one: Descriptor, _ other: Descriptor) throws(Errno) -> Bool {
    let size = try status(of: one.raw).st_size
    guard try status(of: other.raw).st_size == size else { return false }
    let half = 1 << 20
    let room = UnsafeMutableRawPointer.allocate(byteCount: 2 * half, alignment: 4096)
    defer { room.deallocate() }
    let mine = UnsafeMutableRawBufferPointer(start: room, count: half)
    let theirs = UnsafeMutableRawBufferPointer(start: room + half, count: half)
    var offset: Int64 = 0
    while offset < size {
        let count = try readFully(one.raw, into: mine, at: offset)
        guard count > 0, try readFully(other.raw, into: theirs, at: offset) == count,
            memcmp(room, room + half, count) == 0
        else { return false }
        offset += Int64(count)
    }
    return true
}
