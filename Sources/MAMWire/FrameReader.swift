// Splits a stream of bytes and descriptors into frames. A frame is a JSON text and a zero byte.

internal import Glibc
internal import MAMModel
package import MAMSystem

/// One message, with the descriptors that came with it; they close with the last reference to them.
package struct Frame: Sendable {
    package let bytes: [UInt8]
    package var descriptors: [Descriptor]
}

/// Splits what a socket delivers into frames, in bounded memory. Does no I/O.
package struct FrameReader {
    /// The longest frame that a server accepts.
    package static let requestByteCount = 1 << 20
    /// The longest frame that a client accepts.
    package static let replyByteCount = 1 << 24
    /// Descriptors per frame.
    package static let maximumDescriptorCount = 8

    /// The peer exceeded a limit. The connection cannot go on, as the frame's end is unknown.
    package enum Excess: Error, Equatable {
        case bytes
        case descriptors
    }

    private let maximumByteCount: Int
    private var partial: [UInt8] = []
    private var carried: [Descriptor] = []
    private var complete: [Frame] = []

    package init(maximumByteCount: Int = FrameReader.requestByteCount) {
        self.maximumByteCount = maximumByteCount
    }

    /// True between a frame's first byte and its end.
    package var isWithinFrame: Bool { !partial.isEmpty }

    /// The size so far of a frame that is not complete.
    package var partialByteCount: Int { partial.count }

    /// Takes what one read delivered.
    ///
    /// Descriptors belong to the frame that holds the read's last byte: the kernel ends a read
    /// after the piece that carries them, and a sender's piece never spans two frames.
    package mutating func take(
        _ bytes: ArraySlice<UInt8>, descriptors: [Descriptor] = []
    ) throws(Excess) {
        var rest = bytes
        while let end = Self.firstZero(in: rest) {
            try extend(with: rest[..<end])
            complete.append(Frame(bytes: partial, descriptors: carried))
            partial = []
            carried = []
            rest = rest[(end + 1)...]
        }
        try extend(with: rest)
        try attach(descriptors, toLastFrame: rest.isEmpty)
    }

    /// Uses memchr(3): a loop over the slice is many times slower, and a client may send a lot.
    private static func firstZero(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let found = memchr(start, 0, buffer.count) else {
                return nil
            }
            return bytes.startIndex + (UnsafeRawPointer(found) - start)
        }
    }

    /// The next complete frame, in order of arrival.
    package mutating func next() -> Frame? {
        complete.isEmpty ? nil : complete.removeFirst()
    }

    private mutating func extend(with bytes: ArraySlice<UInt8>) throws(Excess) {
        guard partial.count + bytes.count <= maximumByteCount else {
            partial = []
            throw .bytes
        }
        partial += bytes
    }

    private mutating func attach(_ new: [Descriptor], toLastFrame: Bool) throws(Excess) {
        if toLastFrame, let last = complete.indices.last {
            complete[last].descriptors += new
        } else {
            carried += new
        }
        let count = max(carried.count, complete.last?.descriptors.count ?? 0)
        guard count <= Self.maximumDescriptorCount else { throw .descriptors }
    }
}
