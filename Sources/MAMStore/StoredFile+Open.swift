// Opens existing files and begins new ones.

internal import Glibc
package import MAMCrypto
package import MAMFormat
internal import MAMModel
package import MAMSystem

extension StoredFile {
    /// Opens an existing backing file. A managed file has no key yet: see ``provideKey(_:)``.
    ///
    /// `knownSize`: its `st_size`, if that was already read. Throws `.header` or `.impossibleSize`
    /// for a file that is damaged or of a newer version.
    package convenience init(
        opening descriptor: Descriptor, knownSize: Int64? = nil,
        endMarkRule: EndMarkRule = .accept
    ) throws(StoreError) {
        let size = if let knownSize { knownSize } else { try physicalSize(of: descriptor) }
        var bytes = HeaderBytes(repeating: 0)
        let count = try readBeginning(of: descriptor, into: &bytes)
        let prefix = bytes.span.bytes.extracting(first: count)
        switch FileKind.classify(prefix: prefix, fileSize: size) {
        case .foreign where SealedNote.isOn(descriptor):
            let isUnwritten = try system { () throws(Errno) in
                try MAMStore.isUnwritten(descriptor, physicalSize: size)
            }
            guard isUnwritten else { throw .header(.gone) }
            self.init(.plain(PlainContent(unwritten: descriptor)), size: 0)
        case .empty, .foreign:
            self.init(.plain(PlainContent(descriptor: descriptor, header: nil)), size: size)
        case .damaged:
            throw .header(FileHeader.damage(of: prefix))
        case .protected:
            let header = try decodeHeader(prefix)
            if header.isManaged {
                guard let extent = Extent(physicalSize: size) else { throw .impossibleSize(size) }
                self.init(
                    .sealed(
                        SealedContent(
                            descriptor: descriptor, header: header, headerBytes: bytes,
                            extent: extent, cipher: nil, endMarkRule: endMarkRule)),
                    size: extent.plainSize)
            } else {
                let content = PlainContent(descriptor: descriptor, header: header)
                self.init(.plain(content), size: max(0, size - content.base))
            }
        }
    }

    /// Opens a backing file whose content will be discarded, whatever it is.
    package convenience init(discarding descriptor: Descriptor) throws(StoreError) {
        self.init(
            .plain(PlainContent(descriptor: descriptor, header: nil)),
            size: try physicalSize(of: descriptor))
    }

    /// Replaces a read-only descriptor with one that can also write.
    package func replaceDescriptor(_ descriptor: Descriptor) {
        lock.exclusive {
            switch content {
            case .plain(let plain): plain.descriptor = descriptor
            case .sealed(let sealed): sealed.descriptor = descriptor
            }
        }
    }

    /// Discards all content and makes the file a new one of this header's owner.
    ///
    /// A crash in between leaves the file empty, which means "not yet begun". `key`: a fresh file
    /// key; nil makes an unmanaged file. `isNoted`: false where other programs may make the file
    /// plain, so that no permanent attribute may call it sealed.
    package func startOver(
        as header: FileHeader, key: SecretBytes?, isNoted: Bool = true, sealer: any HeaderSealer
    ) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            defer { refreshSize() }
            // Ends the copy: its source is gone.
            following = nil
            let descriptor = descriptorUnlocked
            guard let key else {
                try system { () throws(Errno) in try setSize(descriptor.raw, 0) }
                SealedNote.remove(from: descriptor)
                content = .plain(PlainContent(descriptor: descriptor, header: nil))
                content = .plain(try PlainContent.begun(descriptor, header))
                return
            }
            // Everything that can be refused comes before anything is lost. After the truncation
            // the content is sealed, whether its first block can be written now or only later:
            // never plain.
            let sealed = try SealedContent.prepared(descriptor, header, key, sealer)
            let wasEmpty = try isWithoutBytes
            try system { () throws(Errno) in
                let isToBeNoted = isNoted && !SealedNote.isOn(descriptor)
                if isToBeNoted { try SealedNote.set(on: descriptor) }
                do throws(Errno) { try setSize(descriptor.raw, 0) } catch {
                    if isToBeNoted { SealedNote.remove(from: descriptor) }
                    throw error
                }
            }
            content = .sealed(sealed)
            guard wasEmpty else { return sealed.sealEnd(becoming: sealed.extent) }
            try sealed.writeRun(0...0, .none(at: 0), becoming: sealed.extent)
        }
    }

    /// Of the backing file: a sealed one has its first block. The caller holds the lock.
    private var isWithoutBytes: Bool {
        get throws(StoreError) {
            guard case .plain(let plain) = content else { return false }
            return try physicalSize(of: plain.descriptor) == 0
        }
    }

    /// Makes a newly created backing file, which is empty, one of this header's owner.
    package convenience init(
        beginning descriptor: Descriptor, as header: FileHeader, key: SecretBytes?,
        sealer: any HeaderSealer
    ) throws(StoreError) {
        guard let key else {
            self.init(.plain(try PlainContent.begun(descriptor, header)), size: 0)
            return
        }
        let sealed = try SealedContent.prepared(descriptor, header, key, sealer)
        // First, so that no crash leaves a non-empty file with neither attribute nor header.
        try system { () throws(Errno) in try SealedNote.set(on: descriptor) }
        try sealed.writeRun(0...0, .none(at: 0), becoming: sealed.extent)
        self.init(.sealed(sealed), size: 0)
    }
}

/// The `st_size` of a backing file.
func physicalSize(of descriptor: Descriptor) throws(StoreError) -> Int64 {
    Int64(try system { () throws(Errno) in try status(of: descriptor.raw) }.st_size)
}

/// Returns how many bytes there are, fewer in a short file.
private func readBeginning(
    of descriptor: Descriptor, into bytes: inout HeaderBytes
) throws(StoreError) -> Int {
    var span = bytes.mutableSpan
    return try span.withUnsafeMutableBytes { buffer throws(StoreError) in
        try system { () throws(Errno) in try readFully(descriptor.raw, into: buffer, at: 0) }
    }
}

private func decodeHeader(_ bytes: RawSpan) throws(StoreError) -> FileHeader {
    do throws(HeaderError) { return try FileHeader.sharing(bytes) } catch {
        throw .header(error)
    }
}
