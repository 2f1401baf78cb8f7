// A mount that is nowhere, whose requests come by io_uring.

import CShims
import CTransport
import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

final class RingMount: Sendable {
    let device: TestDevice
    private let root: Mutex<Int32>

    /// `handle` gets all requests but the first. `gate`: nobody reads the device before it is
    /// opened, other than that request.
    init(readersWaitAt gate: Gate? = nil, _ handle: @escaping TestDevice.Handler) throws {
        let opened = try openFile("/dev/fuse", O_RDWR)
        let own = fcntl(opened.raw, F_DUPFD_CLOEXEC, 3)
        device = try TestDevice(device: own) { head, device in
            guard head.opcode == Opcode.initialize else { return handle(head, device) }
            reply(to: head, initAnswer(), on: device.device, device.context)
            gate?.wait()
        }
        mam_transport_prepare(
            device.context, true,
            { session, bytes, _ in
                guard let session, let bytes else { return }
                Unmanaged<TestDevice>.fromOpaque(session).takeUnretainedValue()
                    .serve(RequestHead(bytes))
            }, Unmanaged.passUnretained(device).toOpaque(), nil)
        root = Mutex(mam_new_fuse_mount(own, "transport", "test", 0))
        try #require(root.withLock { $0 } >= 0)
        device.start(threadCount: gate == nil ? 2 : 1)
        let context = device.context
        try #require(
            eventually { gate?.waitingCount == 1 || mam_transport_waiting_count(context, -1) == 2 })
        try #require(eventually { mam_transport_ring_state(context) != MAM_RING_UNASKED })
        try #require(eventually { mam_transport_thread_count(context) > 0 })
    }

    /// statvfs(3): 0, or its error.
    func askForSpace() -> Int32 {
        var found = statvfs()
        return fstatvfs(root.withLock { $0 }, &found) == 0 ? 0 : errno
    }

    /// fstatat(2) of a name: 0, or its error.
    func askForFile(_ name: String) -> Int32 {
        var found = stat()
        return fstatat(root.withLock { $0 }, name, &found, 0) == 0 ? 0 : errno
    }

    /// No other name leads to it.
    func unmount() {
        root.withLock { root in
            if root >= 0 { close(root) }
            root = -1
        }
    }

    func finish() {
        unmount()
        device.finish()
    }
}
