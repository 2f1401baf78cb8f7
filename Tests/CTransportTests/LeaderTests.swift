// Which thread reads /dev/fuse next.

import CTransport
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct LeaderTests {
    private static let threadCount = 6

    private func waitingCount(_ device: TestDevice) -> Int64 {
        mam_transport_waiting_count(device.context, -1)
    }

    @Test func `what is short is served by two threads, whoever waits`() throws {
        // A thread that is kept from running for two milliseconds is replaced.
        let areTwo = try inOneOfFiveTries {
            let device = try TestDevice()
            device.start(threadCount: Self.threadCount)
            defer { device.finish() }
            for unique in 1...300 as ClosedRange<UInt64> {
                device.send(RequestHead(opcode: Opcode.getAttributes, unique: unique))
                #expect(eventually { device.isServed(unique) })
            }
            #expect(mam_transport_taken_count(device.context, -1) == 300)
            var counts: [Int32: Int] = [:]
            for one in device.allServed { counts[one.thread, default: 0] += 1 }
            return counts.values.sorted().suffix(2).reduce(0, +) > 200
        }
        #expect(areTwo)
    }

    @Test(arguments: [
        (Opcode.read, RequestHead.readBody(byteCount: 64 << 10)),
        (Opcode.synchronize, [0, 0, 0, 0]),
    ])
    func `what takes long keeps nobody from reading`(
        opcode: UInt32, body: [UInt32]
    ) throws {
        let gate = Gate()
        let device = try TestDevice { head, _ in if head.opcode == opcode { gate.wait() } }
        device.start(threadCount: Self.threadCount)
        defer { device.finish() }
        defer { gate.open() }
        for unique in 1...5 as ClosedRange<UInt64> {
            device.send(RequestHead(opcode: opcode, unique: unique), body)
        }
        #expect(eventually { gate.waitingCount == 5 })
        device.send(RequestHead(opcode: Opcode.getAttributes, unique: 6))
        #expect(eventually { device.isServed(6) })
        #expect(Set(device.allServed.map(\.thread)).count == Self.threadCount)
    }

    @Test func `who does not come back is replaced, as long as there is a thread left`() throws {
        for pause in [0, 100_000] as [UInt32] {
            let gate = Gate()
            let device = try TestDevice { head, _ in if head.unique < 6 { gate.wait() } }
            device.start(threadCount: Self.threadCount)
            defer { device.finish() }
            defer { gate.open() }
            #expect(eventually { waitingCount(device) == Int64(Self.threadCount) })
            // By then the one that looks at the clock has stopped doing so.
            usleep(pause)
            for unique in 1...5 as ClosedRange<UInt64> {
                device.send(RequestHead(opcode: Opcode.getAttributes, unique: unique))
            }
            #expect(eventually { gate.waitingCount == 5 })
            device.send(RequestHead(opcode: Opcode.getAttributes, unique: 6))
            #expect(eventually { device.isServed(6) })
            #expect(waitingCount(device) <= 1)
            gate.open()
            #expect(eventually { waitingCount(device) == Int64(Self.threadCount) })
            for unique in 7...50 as ClosedRange<UInt64> {
                device.send(RequestHead(opcode: Opcode.getAttributes, unique: unique))
            }
            #expect(eventually { device.allServed.count == 50 })
        }
    }

    @Test func `a short read is no request, and somebody reads the next one`() throws {
        let device = try TestDevice()
        device.start(threadCount: 2)
        defer { device.finish() }
        for count in 1...39 {
            device.send([UInt8](repeating: 1, count: count))
            #expect(eventually { device.allShortReads.count == count })
        }
        #expect(device.allShortReads == Array(1...39))
        #expect(mam_transport_taken_count(device.context, -1) == 0)
        device.send(RequestHead(opcode: Opcode.getAttributes, unique: 1))
        #expect(eventually { device.isServed(1) })
    }

    @Test func `each request is served once, whatever comes together`() throws {
        let device = try TestDevice { head, _ in
            // Some are late without having said so.
            if head.unique % 97 == 0 { usleep(5000) }
        }
        device.start(threadCount: Self.threadCount)
        defer { device.finish() }
        let count: UInt64 = 3000
        let senders = (0..<3 as Range<UInt64>).map { number in
            TestThread {
                for unique in (1...count) where unique % 3 == number {
                    let isLong = unique % 7 == 0
                    device.send(
                        RequestHead(
                            opcode: isLong ? Opcode.read : Opcode.getAttributes, unique: unique),
                        isLong ? RequestHead.readBody(byteCount: 1 << 20) : [])
                }
            }
        }
        for sender in senders { sender.join() }
        #expect(eventually { device.allServed.count == Int(count) })
        #expect(Set(device.allServed.map(\.head.unique)).count == Int(count))
    }

    @Test func `a file without a name is asked for as one that is created`() throws {
        let device = try TestDevice()
        device.start(threadCount: 1)
        defer { device.finish() }
        device.send(RequestHead(opcode: Opcode.tmpfile, unique: 1))
        #expect(eventually { device.isServed(1) })
        #expect(device.allServed.map(\.head.opcode) == [Opcode.create])
    }
}
