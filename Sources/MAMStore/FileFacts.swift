// What a file's header says without any key: for stat, owner and info.

package import MAMFormat
package import MAMModel
package import MAMSystem

/// A regular file's kind and header. Read once per inode and cached: `st_size` alone does not
/// determine the kind.
package enum FileFacts: Sendable {
    case empty
    /// Sealed, but its first block never reached the disk: as empty.
    case unwritten
    case foreign
    case protected(FileHeader)
    case damaged(HeaderError)

    /// Reads the first 1024 bytes.
    ///
    /// `orStream`: outside a backing directory, the file may have the stream form.
    package init(
        of descriptor: Descriptor, physicalSize: Int64, orStream: Bool = false
    ) throws(Errno) {
        try self.init(headOf: descriptor, size: physicalSize, orStream: orStream)
        if case .foreign = self, SealedNote.isOn(descriptor) {
            self =
                try isUnwritten(descriptor, physicalSize: physicalSize)
                ? .unwritten : .damaged(.gone)
        }
    }

    /// The same of what a file in a mount holds: there no note tells of a lost header.
    package init(heldIn file: Descriptor, size: Int64) throws(Errno) {
        try self.init(headOf: file, size: size, orStream: true)
    }

    private init(headOf file: Descriptor, size: Int64, orStream: Bool) throws(Errno) {
        // On the stack, because every file looked up for the first time comes here.
        var room: InlineArray<1024, UInt8> = .init(repeating: 0)
        var span = room.mutableSpan
        let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
            try readFully(file.raw, into: buffer, at: 0)
        }
        self.init(
            head: room.span.bytes.extracting(..<count), physicalSize: size, orStream: orStream)
    }

    /// `head`: the first 1024 bytes, or all of a shorter file.
    package init(head: RawSpan, physicalSize: Int64, orStream: Bool) {
        self = (orStream ? Self.stream(head) : nil) ?? Self(head: head, physicalSize: physicalSize)
    }

    /// Nil without a stream's magic.
    private static func stream(_ head: RawSpan) -> FileFacts? {
        guard head.begins(with: streamMagic) else { return nil }
        do throws(HeaderError) { return .protected(try StreamForm.header(in: head)) } catch {
            return .damaged(error)
        }
    }

    private init(head: RawSpan, physicalSize: Int64) {
        switch FileKind.classify(prefix: head, fileSize: physicalSize) {
        case .empty: self = .empty
        case .foreign: self = .foreign
        case .damaged: self = .damaged(FileHeader.damage(of: head))
        case .protected:
            do throws(HeaderError) {
                self = .protected(try FileHeader.sharing(head))
            } catch { self = .damaged(error) }
        }
    }

    /// The size that readers see. A damaged file shows its physical size.
    package func plainSize(ofPhysical size: Int64) -> Int64 {
        if case .unwritten = self, size == Layout.blockByteCount { return 0 }
        guard case .protected(let header) = self else { return size }
        guard header.isManaged else { return max(0, size - Int64(Layout.headerByteCount)) }
        return Extent(physicalSize: size)?.plainSize ?? size
    }

    /// The next writer becomes its owner.
    package var isEmpty: Bool {
        switch self {
        case .empty, .unwritten: true
        case .foreign, .protected, .damaged: false
        }
    }

    package var header: FileHeader? {
        if case .protected(let header) = self { header } else { nil }
    }
}

/// True for a file without content whose header is zeros (docs/FORMAT.md, section 1).
///
/// A file system that fails to store a new file's first block, as when it is full, may keep the
/// file's size. Nobody was told that anything is stored: no sync succeeded.
func isUnwritten(_ file: Descriptor, physicalSize: Int64) throws(Errno) -> Bool {
    guard physicalSize == Int64(Layout.blockByteCount) else { return false }
    var block = InlineArray<4096, UInt8>(repeating: 0)
    var span = block.mutableSpan
    return try span.withUnsafeMutableBytes { buffer throws(Errno) in
        let count = try readFully(file.raw, into: buffer, at: 0)
        return count == buffer.count && buffer.allSatisfy { $0 == 0 }
    }
}
