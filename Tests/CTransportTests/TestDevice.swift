// A device that the test writes requests to, and the threads that read it as libfuse's do.

import CFuse3
import CShims
import CTransport
import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

final class TestDevice: @unchecked Sendable {
    struct Served {
        let head: RequestHead
        let thread: Int32
    }

    typealias Handler = @Sendable (RequestHead, TestDevice) -> Void

    // CTransport guards it; the pointer never changes.
    let context: OpaquePointer
    let device: Int32
    /// The other end, where there is one.
    private let kernel: Int32
    private let handle: Handler
    private let served = Mutex<[Served]>([])
    private let shortReads = Mutex<[Int]>([])
    private let threads = Mutex<[TestThread]>([])

    /// Of a socket in place of /dev/fuse.
    convenience init(_ handle: @escaping Handler = { _, _ in }) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        try self.init(device: ends[0], kernel: ends[1], handle)
    }

    init(device: Int32, kernel: Int32 = -1, _ handle: @escaping Handler) throws {
        context = try #require(mam_transport_new())
        self.device = device
        self.kernel = kernel
        self.handle = handle
    }

    func start(threadCount: Int) {
        threads.withLock { threads in
            for _ in 0..<threadCount { threads.append(TestThread { self.work() }) }
        }
    }

    private func work() {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 21, alignment: 4096)
        defer { room.deallocate() }
        while true {
            let count = mam_transport_read(
                device, room.baseAddress, room.count, UnsafeMutableRawPointer(context))
            guard count > 0, let start = room.baseAddress else { return }
            guard count >= RequestHead.byteCount else {
                shortReads.withLock { $0.append(count) }
                continue
            }
            serve(RequestHead(start))
        }
    }

    /// Of /dev/fuse or of a ring.
    func serve(_ head: RequestHead) {
        served.withLock { $0.append(Served(head: head, thread: mam_thread_id())) }
        handle(head, self)
    }

    func send(_ head: RequestHead, _ body: [UInt32] = []) { send(head.message(body)) }

    func send(_ message: [UInt8]) {
        #expect(Glibc.send(kernel, message, message.count, 0) == message.count)
    }

    /// What was written to the device.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(kernel, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    var allServed: [Served] { served.withLock { $0 } }
    var allShortReads: [Int] { shortReads.withLock { $0 } }

    func isServed(_ unique: UInt64) -> Bool {
        served.withLock { $0.contains { $0.head.unique == unique } }
    }

    /// No request comes any more: all threads end by themselves.
    func finish() {
        if kernel >= 0 { close(kernel) }
        for thread in threads.withLock({ $0 }) { thread.join() }
        #expect(mam_transport_stop(context, 10_000))
        mam_transport_free(context)
        close(device)
    }
}

/// Holds up requests until it is opened.
final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let waiting = Atomic<Int>(0)

    var waitingCount: Int { waiting.load(ordering: .sequentiallyConsistent) }

    func wait() {
        waiting.add(1, ordering: .sequentiallyConsistent)
        _ = eventually { isOpen.load(ordering: .sequentiallyConsistent) }
        waiting.subtract(1, ordering: .sequentiallyConsistent)
    }

    func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }
}
