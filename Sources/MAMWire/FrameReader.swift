// From a stream of bytes and descriptors to frames: each is one JSON text that ends in a zero byte.

internal import Glibc
package import MAMSystem

/// One message, with the descriptors that came with it; they close with the last reference to them.
package struct Frame: Sendable {
    package let bytes: [UInt8]
    package var descriptors: [Descriptor]
}

/// Cuts what a socket delivers into frames, in bounded memory. Pure: it knows no socket.
package struct FrameReader {
    /// The longest frame that a server takes.
    package static let requestByteCount = 1 << 20
    /// The longest frame that a client takes.
    package static let replyByteCount = 1 << 24
    /// Descriptors per frame.
    package static let maximumDescriptorCount = 8

    /// A peer that breaks a limit; the connection cannot go on, for the frame's end is unknown.
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

    /// What is there of a frame that has not ended.
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

    /// As memchr(3) finds it: a client may send much, and the loop over a slice is many times as
    /// long.
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
