// What a file's header tells without any key: for stat, owner and info.

package import MAMFormat
internal import MAMModel
package import MAMSystem

/// A regular file's kind and header. Read once per inode and kept: `st_size` alone does not tell the kind.
package enum FileFacts: Sendable {
    case empty
    case foreign
    case protected(FileHeader)
    case damaged(HeaderError)

    /// Reads the first 1024 bytes.
    package init(of descriptor: Descriptor, physicalSize: Int64) throws(Errno) {
        let bytes = try readHead(of: descriptor.raw, byteCount: FileHeader.byteCount)
        switch FileKind.classify(prefix: bytes.span.bytes, fileSize: physicalSize) {
        case .empty: self = .empty
        case .foreign: self = .foreign
        case .damaged: self = .damaged(FileHeader.damage(of: bytes.span.bytes))
        case .protected:
            do throws(HeaderError) {
                self = .protected(try FileHeader.decode(bytes.span.bytes))
            } catch { self = .damaged(error) }
        }
    }

    /// The size that a reader sees. A damaged file shows its physical one.
    package func plainSize(ofPhysical size: Int64) -> Int64 {
        guard case .protected(let header) = self else { return size }
        guard header.isManaged else { return max(0, size - Int64(Layout.headerByteCount)) }
        return Extent(physicalSize: size)?.plainSize ?? size
    }

    package var header: FileHeader? {
        if case .protected(let header) = self { header } else { nil }
    }
}
