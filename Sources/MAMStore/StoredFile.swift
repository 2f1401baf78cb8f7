// One file of a backing directory, and the lock around its content.

internal import MAMCrypto
package import MAMFormat
internal import MAMModel
package import MAMSystem
internal import Synchronization

/// The plain view of a backing file; offsets and sizes are plain.
///
/// Reads and writes of different blocks run in parallel; every other change is exclusive, so no
/// reader sees a half-written block. One instance per inode, because it caches the geometry.
package final class StoredFile: @unchecked Sendable {
    enum Content {
        case plain(PlainContent)
        case sealed(SealedContent)
    }

    // `lock` guards `content` and what it refers to; while it is shared, `traffic` guards the
    // blocks and the extent of sealed content.
    let lock = ReadWriteLock()
    let traffic = BlockTraffic()
    var content: Content
    let syncFailures = Mutex(SyncFailures())
    /// Set while the file is being copied; changed under the exclusive lock.
    var following: Following?
    /// The directory in which its name may not be durable yet; changed under the exclusive lock.
    var place: Descriptor?
    /// The file that took over its content.
    var heir: StoredFile?
    private let cachedSize: Atomic<Int64>

    /// `size`: the plain size.
    init(_ content: Content, size: Int64) {
        self.content = content
        cachedSize = Atomic(size)
    }

    /// The backing file, for syncing only, never for writing.
    package var descriptor: Descriptor { lock.shared { descriptorUnlocked } }

    /// The caller holds the lock.
    var descriptorUnlocked: Descriptor {
        switch content {
        case .plain(let plain): plain.descriptor
        case .sealed(let sealed): sealed.descriptor
        }
    }

    /// Nil for a foreign file.
    package var header: FileHeader? { lock.shared { headerUnlocked } }

    /// The caller holds the lock.
    var headerUnlocked: FileHeader? {
        switch content {
        case .plain(let plain): plain.header
        case .sealed(let sealed): sealed.header
        }
    }

    /// See ``FileFacts/unwritten``.
    package var isUnwritten: Bool {
        lock.shared { if case .plain(let plain) = content { plain.isUnwritten } else { false } }
    }

    /// The plain size after the last completed operation; takes no lock.
    package var size: Int64 { cachedSize.load(ordering: .relaxed) }

    /// Fills the buffer, except at the end of the file.
    package func read(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        try lock.shared { () throws(StoreError) in try readUnlocked(into: out, at: offset) }
    }

    /// The caller holds the lock, shared or exclusive.
    func readUnlocked(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        switch content {
        case .plain(let plain): try plain.read(into: out, at: offset)
        case .sealed(let sealed): try read(sealed, into: out, at: offset)
        }
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, sealer: any HeaderSealer
    ) throws(StoreError) {
        if try writeBesideOthers(bytes, at: offset, sealer: sealer) { return }
        try change(from: offset, count: bytes.count, to: bytes) { content throws(StoreError) in
            switch content {
            case .plain(let plain): try plain.write(bytes, at: offset, keeping: size)
            case .sealed(let sealed): try sealed.write(bytes, at: offset, sealer: sealer)
            }
        }
    }

    package func truncate(to size: Int64, sealer: any HeaderSealer) throws(StoreError) {
        try change(from: min(size, self.size)) { content throws(StoreError) in
            switch content {
            case .plain(let plain): try plain.truncate(to: size)
            case .sealed(let sealed):
                try Resizing(content: sealed).truncate(to: size, sealer: sealer)
            }
        }
    }

    /// Makes a range read as zeros; keeps the size.
    package func zero(_ range: Range<Int64>, sealer: any HeaderSealer) throws(StoreError) {
        try change(from: range.lowerBound, count: range.count) { content throws(StoreError) in
            switch content {
            case .plain(let plain): try plain.zero(range)
            case .sealed(let sealed): try HolePuncher(content: sealed, sealer: sealer).zero(range)
            }
        }
    }

    /// Reserves space for a range, and grows the file over it unless `keepSize`.
    package func reserve(
        _ range: Range<Int64>, keepSize: Bool, sealer: any HeaderSealer
    ) throws(StoreError) {
        try change(from: range.lowerBound, count: range.count) { content throws(StoreError) in
            switch content {
            case .plain(let plain):
                try plain.reserve(range, keepSize: keepSize, keeping: size)
            case .sealed(let sealed):
                try HolePuncher(content: sealed, sealer: sealer)
                    .reserve(range, keepSize: keepSize)
            }
        }
    }

    /// Runs a change under the exclusive lock, and updates the cached size even if it fails.
    /// Mirrors the change to a copy in progress.
    ///
    /// `count`: nil for everything up to the end. `bytes`: the new content, if known.
    func change(
        from start: Int64, count: Int? = nil, to bytes: UnsafeRawBufferPointer? = nil,
        _ body: (Content) throws(StoreError) -> Void
    ) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            var written: UnsafeRawBufferPointer?
            defer {
                refreshSize()
                noteSyncFailure()
                copying.follow(from: max(0, start), count: count, written)
            }
            try body(content)
            written = bytes
        }
    }

    func refreshSize() {
        if let size = try? content.size() { cachedSize.store(size, ordering: .relaxed) }
    }
}
