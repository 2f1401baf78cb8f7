// How one mount's requests arrive from the kernel: whether through io_uring, and why not.

internal import CTransport
internal import MAMModel
internal import MAMSystem
internal import MAMTree

/// Owns the context that CTransport's functions and libfuse's session use.
///
/// Must outlive every thread that may be serving a request.
final class RequestTransport: @unchecked Sendable {
    // CTransport guards what its threads share; the pointer never changes.
    let context: OpaquePointer

    init() throws(Errno) {
        guard let context = mam_transport_new() else { throw .current }
        self.context = context
    }

    deinit { mam_transport_free(context) }
}

/// Settled once the kernel's first request is answered.
///
/// A failure always gets a note; that the kernel offers no rings only if they were asked for.
func transportInUse(by requests: RequestTransport, wereAskedFor: Bool) -> Transport {
    let context = requests.context
    return switch mam_transport_ring_state(context) {
    case MAM_RING_USED: Transport(.ring, note: ringSize(context))
    case MAM_RING_NOT_OFFERED where wereAskedFor:
        Transport(
            .device,
            note: "no io_uring: the kernel does not offer it; as root, before mounting: "
                + "echo 1 > /sys/module/fuse/parameters/enable_uring"
        )
    case MAM_RING_SMALL where wereAskedFor:
        Transport(.device, note: "no io_uring: requests would be too small")
    case MAM_RING_FAILED:
        Transport(
            .device,
            note: "no io_uring: \(Errno(rawValue: mam_transport_ring_error(context)))")
    default: Transport(.device)
    }
}

private func ringSize(_ context: OpaquePointer) -> String {
    let queues = counted(Int(mam_transport_queue_count(context)), "queue")
    let threads = counted(Int(mam_transport_thread_count(context)), "thread")
    let bytes = mam_transport_payload(context)
    return "\(queues), \(threads), \(bytes) bytes at once"
}
