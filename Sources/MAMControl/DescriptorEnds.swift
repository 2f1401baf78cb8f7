// A caller's descriptors as the two ends of a stream: pipes, files, sockets, terminals.

internal import Glibc
internal import MAMModel
internal import MAMStore
internal import MAMSystem

/// Blocks only the calling thread, and only while the caller stays connected.
struct DescriptorEnds: StreamEnds {
    let call: VarlinkCall
    let source: Descriptor
    /// Nil if nothing is written.
    var destination: Descriptor?

    /// The longest delay in noticing that the caller hung up or the window closed.
    private static let tickMilliseconds: Int32 = 100
    /// A write of this size does not block once poll(2) reports POLLOUT (PIPE_BUF).
    private static let pieceByteCount = 4096

    static func canBe(_ end: Descriptor) -> Bool {
        withExtendedLifetime(end) {
            switch (try? CachedFacts(of: end.raw))?.type {
            case S_IFREG, S_IFIFO, S_IFCHR, S_IFBLK: return true
            case S_IFSOCK:
                var (type, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
                return getsockopt(end.raw, SOL_SOCKET, SO_TYPE, &type, &size) == 0
                    && type == Int32(SOCK_STREAM.rawValue)
            default: return false
            }
        }
    }

    /// Reading a file while appending to it would end only when the disk is full.
    static func areOneFile(_ source: Descriptor, _ destination: Descriptor) -> Bool {
        guard let one = try? CachedFacts(of: source.raw),
            let other = try? CachedFacts(of: destination.raw)
        else { return false }
        return one.type == S_IFREG && one.device == other.device && one.inode == other.inode
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int {
        let source = source
        while true {
            try wait(for: source, POLLIN, while: isWanted)
            do throws(Errno) {
                return try withExtendedLifetime(source) { () throws(Errno) in
                    try retrying { Glibc.read(source.raw, buffer.baseAddress, buffer.count) }
                }
            } catch {
                guard error == .wouldBlock else { throw .system(error) }
            }
        }
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) {
        guard let destination else { return }
        var done = 0
        while done < bytes.count {
            try wait(for: destination, POLLOUT, while: isWanted)
            let count = min(bytes.count - done, Self.pieceByteCount)
            do throws(Errno) {
                done += try withExtendedLifetime(destination) { () throws(Errno) in
                    try retrying {
                        Glibc.write(destination.raw, bytes.baseAddress.map { $0 + done }, count)
                    }
                }
            } catch {
                guard error == .wouldBlock else { throw .system(error) }
            }
        }
    }

    private func wait(
        for descriptor: Descriptor, _ event: Int32, while isWanted: () -> Bool
    ) throws(StoreError) {
        try withExtendedLifetime(descriptor) { () throws(StoreError) in
            var waiting = pollfd(fd: descriptor.raw, events: Int16(event), revents: 0)
            while true {
                guard isWanted() else { throw .keyUnavailable }
                do throws(Errno) {
                    if try retrying({ poll(&waiting, 1, Self.tickMilliseconds) }) > 0 { return }
                } catch { throw .system(error) }
                guard call.isConnected else { throw .system(.canceled) }
            }
        }
    }
}

extension DescriptorEnds {
    /// Nil unless the plaintext end is a pipe.
    init?(from source: Descriptor, to destination: Descriptor? = nil, _ call: VarlinkCall) {
        let plain = destination ?? source
        let isPipe = withExtendedLifetime(plain) {
            (try? CachedFacts(of: plain.raw))?.type == S_IFIFO
        }
        guard isPipe else { return nil }
        self.init(call: call, source: source, destination: destination)
    }
}
