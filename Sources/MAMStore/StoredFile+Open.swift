// Opens existing files and begins new ones.

internal import Glibc
package import MAMCrypto
package import MAMFormat
internal import MAMModel
package import MAMSystem

extension StoredFile {
    /// Opens an existing backing file. A managed file has no key yet: see ``provideKey(_:)``.
    ///
    /// Throws `.header` or `.impossibleSize` for a file that is damaged or of a newer version.
    package convenience init(
        opening descriptor: Descriptor, endMarkRule: EndMarkRule = .accept
    ) throws(StoreError) {
        let size = try physicalSize(of: descriptor)
        let bytes = try system { () throws(Errno) in
            try readHead(of: descriptor.raw, byteCount: FileHeader.byteCount)
        }
        switch FileKind.classify(prefix: bytes.span.bytes, fileSize: size) {
        case .foreign where SealedNote.isOn(descriptor): throw .header(.gone)
        case .empty, .foreign:
            self.init(.plain(PlainContent(descriptor: descriptor, header: nil)), size: size)
        case .damaged:
            throw .header(FileHeader.damage(of: bytes.span.bytes))
        case .protected:
            let header = try decodeHeader(bytes)
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

    /// Opens a newly created backing file, which is empty: makes no system call.
    package convenience init(new descriptor: Descriptor) {
        self.init(.plain(PlainContent(descriptor: descriptor, header: nil)), size: 0)
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
            let wasEmpty = try physicalSize(of: descriptor) == 0
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

    /// Makes a file from ``init(new:)`` one of this header's owner: nothing is discarded, and its
    /// size stays 0.
    package func begin(
        as header: FileHeader, key: SecretBytes?, sealer: any HeaderSealer
    ) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            let descriptor = descriptorUnlocked
            guard let key else {
                content = .plain(try PlainContent.begun(descriptor, header))
                return
            }
            let sealed = try SealedContent.prepared(descriptor, header, key, sealer)
            // First, so that no crash leaves a non-empty file with neither attribute nor header.
            try system { () throws(Errno) in try SealedNote.set(on: descriptor) }
            content = .sealed(sealed)
            try sealed.writeRun(0...0, .none(at: 0), becoming: sealed.extent)
        }
    }
}

/// The `st_size` of a backing file.
func physicalSize(of descriptor: Descriptor) throws(StoreError) -> Int64 {
    Int64(try system { () throws(Errno) in try status(of: descriptor.raw) }.st_size)
}

private func decodeHeader(_ bytes: [UInt8]) throws(StoreError) -> FileHeader {
    do throws(HeaderError) { return try FileHeader.sharing(bytes.span.bytes) } catch {
        throw .header(error)
    }
}
