// Whether requests come through io_uring, as far as that was asked for.

internal import CShims
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWorkspace

/// Settled once the kernel's first request is answered.
func transportInUse() -> Transport {
    switch mam_device_ring_state() {
    case MAM_RING_USED:
        Transport(
            .ring,
            note:
                "\(mam_ring_queue_count()) queues, \(mam_ring_thread_count()) threads, \(mam_device_payload()) bytes at once"
        )
    case MAM_RING_NOT_OFFERED:
        Transport(
            .device,
            note:
                "no io_uring: the kernel does not offer it; as root, before mounting: echo 1 > /sys/module/fuse/parameters/enable_uring"
        )
    case MAM_RING_SMALL:
        Transport(.device, note: "no io_uring: requests would be too small")
    case MAM_RING_FAILED:
        Transport(
            .device, note: "no io_uring: \(Errno(rawValue: mam_device_ring_error()))")
    default: Transport(.device)
    }
}
