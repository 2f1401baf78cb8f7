// Frames over one connected socket. One thread uses it; others may only shut it down.

internal import CShims
internal import Glibc
package import MAMModel
package import MAMSystem

/// Receives frames from an `AF_UNIX` stream.
package struct FrameSocket {
    /// Why nothing more can be received.
    package enum Failure: Error, Equatable {
        case system(Errno)
        case excess(FrameReader.Excess)
        /// The stream ended within a frame.
        case cut
    }

    /// The size of one read. A typical call fits, and the buffer stays small: each thread has one.
    private static let readByteCount = 64 << 10

    private let socket: Descriptor
    private var reader: FrameReader
    private var buffer = [UInt8](repeating: 0, count: readByteCount)

    package init(_ socket: Descriptor, maximumByteCount: Int) {
        self.socket = socket
        reader = FrameReader(maximumByteCount: maximumByteCount)
    }

    /// The next frame; nil at the end of the stream.
    ///
    /// `admit`: called once for a frame longer than one read, before more of it is buffered. Throws
    /// `excess` if it returns false.
    package mutating func receive(
        admittingLong admit: () -> Bool = { true }
    ) throws(Failure) -> Frame? {
        var isAdmitted = false
        while true {
            if let frame = reader.next() { return frame }
            if !isAdmitted, reader.partialByteCount >= Self.readByteCount {
                guard admit() else { throw .excess(.bytes) }
                isAdmitted = true
            }
            guard try readMore() else {
                if reader.isWithinFrame { throw .cut }
                return nil
            }
        }
    }

    /// False at the end of the stream.
    private mutating func readMore() throws(Failure) -> Bool {
        let count: Int
        let descriptors: [Descriptor]
        do throws(Errno) {
            (count, descriptors) = try readOnce()
        } catch {
            throw .system(error)
        }
        guard count > 0 else { return false }
        do throws(FrameReader.Excess) {
            try reader.take(buffer[..<count], descriptors: descriptors)
        } catch {
            throw .excess(error)
        }
        return true
    }

    private mutating func readOnce() throws(Errno) -> (count: Int, descriptors: [Descriptor]) {
        var raw = [Int32](repeating: -1, count: MAM_MAXIMUM_DESCRIPTORS)
        var rawCount: Int32 = 0
        let count = try retrying {
            buffer.withUnsafeMutableBytes {
                mam_receive(socket.raw, $0.baseAddress, $0.count, &raw, &rawCount)
            }
        }
        return (count, raw.prefix(Int(rawCount)).map { Descriptor(owning: $0) })
    }
}

/// Sends frames to an `AF_UNIX` stream.
package struct FrameSender: Sendable {
    private let socket: Descriptor

    package init(_ socket: Descriptor) { self.socket = socket }

    /// Sends one whole frame. The descriptors go with its first byte.
    package func send(_ value: JSONValue, descriptors: [Descriptor] = []) throws(Errno) {
        try send(encoded: value.encoded(), descriptors: descriptors)
    }

    /// Sends one whole frame of encoded JSON.
    package func send(
        encoded value: [UInt8], descriptors: [Descriptor] = []
    ) throws(Errno) {
        let bytes = value + [0]
        var raw = descriptors.map(\.raw)
        var sent = 0
        while sent < bytes.count {
            let count = try retrying {
                bytes.withUnsafeBytes { buffer in
                    mam_send(
                        socket.raw, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                        raw, Int32(raw.count))
                }
            }
            raw = []
            sent += count
        }
    }
}
