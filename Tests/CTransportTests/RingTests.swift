// Requests of the kernel's by io_uring.

import CTransport
import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

/// Only root has such a mount, and the kernel's switch must stay on: scripts/dev ring sees to both.
private let kernelOffersRings =
    getenv("MAMD_TEST_OPTIONS").map { String(cString: $0) } == "io_uring"

@Suite(.enabled(if: kernelOffersRings)) struct RingTests {
    private let space = [UInt32](repeating: 3, count: 20)

    @Test func `all processors' queues have workers, and these serve`() throws {
        let mount = try RingMount { head, device in
            reply(to: head, [UInt32](repeating: 3, count: 20), on: device.device, device.context)
        }
        defer { mount.finish() }
        let context = mount.device.context
        #expect(mam_transport_queue_count(context) > 0)
        #expect(mam_transport_thread_count(context) > 4 * mam_transport_queue_count(context))
        for _ in 0..<50 { #expect(mount.askForSpace() == 0) }
        let queues = 0..<mam_transport_queue_count(context)
        #expect(queues.map { mam_transport_taken_count(context, $0) }.reduce(0, +) == 50)
        #expect(mam_transport_taken_count(context, -1) == 1)
        // By the ring's threads, and none that reads the device.
        #expect(mount.device.allServed.count == 51)
    }

    @Test func `a reply may come from any thread, at any time`() throws {
        let waiting = Mutex<[RequestHead]>([])
        let mount = try RingMount { head, _ in waiting.withLock { $0.append(head) } }
        defer { mount.finish() }
        let device = mount.device
        let callers = (0..<6).map { _ in TestThread { #expect(mount.askForSpace() == 0) } }
        #expect(eventually { waiting.withLock { $0.count } == 6 })
        // The last one first, and none of them by the thread that has the request.
        for head in waiting.withLock({ $0 }).reversed() {
            reply(to: head, space, on: device.device, device.context)
        }
        for caller in callers { caller.join() }
        // A second reply finds no request of a ring's, nor does the kernel know it.
        let again = waiting.withLock { $0[0] }
        #expect(reply(to: again, space, on: device.device, device.context) == -1)
    }

    @Test func `errors and replies that are too large are the caller's errors`() throws {
        let mount = try RingMount { head, device in
            if device.allServed.count % 2 == 0 {
                reply(to: head, error: ENOKEY, on: device.device, device.context)
            } else {
                let large = [UInt32](repeating: 0, count: (1 << 18) + 1)
                reply(to: head, large, on: device.device, device.context)
            }
        }
        defer { mount.finish() }
        let errors = (0..<10).map { _ in mount.askForSpace() }
        #expect(errors.allSatisfy { $0 == ENOKEY || $0 == EIO })
        #expect(Set(errors).count == 2)
    }

    @Test func `a queue grows for those that wait for others, and not without end`() throws {
        let waiting = Mutex<[RequestHead]>([])
        let refused = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let space = space
        let mount = try RingMount { head, device in
            if !isOver.load(ordering: .sequentiallyConsistent),
                mam_transport_may_wait(device.context)
            {
                return waiting.withLock { $0.append(head) }
            }
            refused.add(1, ordering: .sequentiallyConsistent)
            reply(to: head, space, on: device.device, device.context)
        }
        defer { mount.finish() }
        let context = mount.device.context
        let first = mam_transport_thread_count(context)
        // One after the other: an entry that is added gets none that has come before.
        let callers = (1...3 * Int(first)).map { count in
            let caller = TestThread { #expect(mount.askForSpace() == 0) }
            #expect(
                eventually {
                    waiting.withLock { $0.count }
                        + refused.load(ordering: .sequentiallyConsistent) >= count
                })
            return caller
        }
        let added = mam_transport_thread_count(context) - first
        #expect(added > 0 && added <= 32)
        #expect(refused.load(ordering: .sequentiallyConsistent) > 0)
        // Half of those that there were from the beginning are left for others.
        for queue in 0..<mam_transport_queue_count(context) {
            #expect(eventually { mam_transport_waiting_count(context, queue) > 1 })
        }
        isOver.store(true, ordering: .sequentiallyConsistent)
        for head in waiting.withLock({ $0 }) {
            reply(to: head, space, on: mount.device.device, context)
        }
        for caller in callers { caller.join() }
    }

    /// The kernel forgets a look-up that leads elsewhere than the one before, and what that one led
    /// to; then it looks the name up anew.
    @Test func `what the kernel has forgotten is served before a look-up that follows`() throws {
        let node = Atomic<UInt32>(7)
        let gate = Gate()
        let mount = try RingMount(readersWaitAt: gate) { head, device in
            let answer: [UInt32]
            switch head.opcode {
            case Opcode.lookUp:
                answer = entryAnswer(node.add(1, ordering: .sequentiallyConsistent).newValue)
            case Opcode.getAttributes: answer = directoryAnswer
            default: return
            }
            reply(to: head, answer, on: device.device, device.context)
        }
        defer { mount.finish() }
        defer { gate.open() }
        for _ in 0..<2 { #expect(mount.askForFile("file") == 0) }
        let served = mount.device.allServed.map(\.head.opcode)
        #expect(
            served.filter { $0 == Opcode.lookUp || $0 == Opcode.forgetSeveral }
                == [Opcode.lookUp, Opcode.lookUp, Opcode.forgetSeveral, Opcode.lookUp])
    }
}
