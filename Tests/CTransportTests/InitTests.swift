// The first request: what is taken of the kernel's offer, and what becomes of io_uring.

import CTransport
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct InitTests {
    private static let offer =
        InitFlag.extended | InitFlag.parallelDirectories | InitFlag.killPrivileges

    private final class Counter: Sendable { let count = Atomic<Int>(0) }

    /// The daemon's side of a first request, which the device answers as libfuse would.
    private struct Start {
        let device: TestDevice
        let begun: Counter
        /// `fuse_init_out`, as the kernel gets it.
        let answer: [UInt32]
        let state: mam_ring_state
    }

    private func start(
        asking usesRing: Bool, flags: UInt32 = offer, flags2: UInt32 = InitFlag.overRing,
        maxWrite: UInt32 = 1 << 20
    ) throws -> Start {
        let device = try TestDevice { head, device in
            guard head.opcode == Opcode.initialize else { return }
            reply(
                to: head, initAnswer(maxWrite: maxWrite), on: device.device, device.context)
        }
        mam_transport_prepare(device.context, usesRing, { _, _, _ in }, nil) { owner in
            guard let owner else { return }
            let begun = Unmanaged<Counter>.fromOpaque(owner).takeUnretainedValue()
            begun.count.add(1, ordering: .sequentiallyConsistent)
        }
        let begun = Counter()
        mam_transport_set_owner(device.context, Unmanaged.passUnretained(begun).toOpaque())
        device.start(threadCount: 3)
        device.send(
            RequestHead(opcode: Opcode.initialize, unique: 2),
            RequestHead.initBody(flags: flags, flags2: flags2))
        let sent = device.receive()
        // The thread that answered comes back when all is settled.
        #expect(eventually { mam_transport_waiting_count(device.context, -1) == 3 })
        #expect(begun.count.load(ordering: .sequentiallyConsistent) == 1)
        let answer = sent.dropFirst(16).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
            }
        }
        try #require(answer.count == 16)
        return Start(
            device: device, begun: begun, answer: answer,
            state: mam_transport_ring_state(device.context))
    }

    @Test func `what libfuse does not ask for is taken, where it is offered`() throws {
        let wanted = InitFlag.parallelDirectories | InitFlag.killPrivileges
        for offered in [wanted, InitFlag.parallelDirectories, 0] {
            let start = try start(asking: false, flags: InitFlag.extended | offered)
            start.device.finish()
            #expect(start.answer[3] & wanted == offered)
            // The mount's backing device says how much is read ahead.
            #expect(start.answer[2] == .max)
            #expect(start.answer[4] == 0)
            #expect(start.state == MAM_RING_UNASKED)
        }
    }

    @Test func `io_uring is not used where it is not offered, or requests are too small`() throws {
        let cases: [(UInt32, UInt32, UInt32, mam_ring_state)] = [
            (Self.offer, 0, 1 << 20, MAM_RING_NOT_OFFERED),
            // The second word of flags counts only with this one.
            (0, InitFlag.overRing, 1 << 20, MAM_RING_NOT_OFFERED),
            (Self.offer, InitFlag.overRing, 64 << 10, MAM_RING_SMALL),
        ]
        for (flags, flags2, maxWrite, expected) in cases {
            let start = try start(
                asking: true, flags: flags, flags2: flags2, maxWrite: maxWrite)
            start.device.finish()
            #expect(start.state == expected)
            #expect(start.answer[4] & InitFlag.overRing == 0)
        }
    }

    /// A socket knows no commands of FUSE's; where the machine forbids io_uring no ring is opened.
    @Test func `with rings that are refused requests come by the device as ever`() throws {
        let start = try start(asking: true)
        let (device, context) = (start.device, start.device.context)
        defer { device.finish() }
        #expect(start.state == MAM_RING_FAILED)
        #expect(mam_transport_ring_error(context) != 0)
        #expect(mam_transport_queue_count(context) == 0)
        #expect(mam_transport_thread_count(context) == 0)
        for unique in 10...40 as ClosedRange<UInt64> {
            device.send(RequestHead(opcode: Opcode.getAttributes, unique: unique))
            #expect(eventually { device.isServed(unique) })
            reply(
                to: RequestHead(opcode: 0, unique: unique), [7], on: device.device, context)
            #expect(device.receive().count == 20)
        }
        #expect(mam_transport_reply_room(context, 4096) == nil)
        #expect(mam_transport_may_wait(context))
    }
}
