// What comes from the FUSE device before libfuse sees it, and what goes back (see CFuse3, mam_use_device).
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Threads that wait for a request.
int64_t mam_device_waiting_count(void);

/// Requests taken so far.
int64_t mam_device_request_count(void);

/// Before mam_device_prepare(): whether listeners may ask again and again for some microseconds before they sleep, and whether
/// a processor may be kept busy for a caller on another one.
void mam_device_wait(int may_spin, int may_keep_processor);

/// Whether requests come through io_uring.
enum mam_ring_state { MAM_RING_UNASKED, MAM_RING_NOT_OFFERED, MAM_RING_SMALL, MAM_RING_FAILED, MAM_RING_USED };

/// Asks for requests through io_uring, should the kernel offer that. `serve` runs a request that came so, in `session`.
/// `begun` is called once, when the kernel has the answer to its first request, with what the session was made with.
void mam_device_prepare(int uses_ring, void (*serve)(void *session, void *bytes, size_t count), void *session,
                        void (*begun)(void *data));

enum mam_ring_state mam_device_ring_state(void);

/// The error number where it failed, and the most bytes that a read or write may have.
int mam_device_ring_error(void);
int64_t mam_device_payload(void);
