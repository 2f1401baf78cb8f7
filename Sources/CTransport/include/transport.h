// How FUSE requests arrive from the kernel: through /dev/fuse, or through its io_uring queues.
//
// Each mount has one context; nothing here is global. libfuse reads and writes through
// mam_transport_read() and mam_transport_writev() (fuse_custom_io), which use libfuse's types and
// are declared in CFuse3. docs/ARCHITECTURE.md, "Transport", gives the reasons.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mam_transport;

/// Serves one request in `session`; `bytes` are as read from /dev/fuse.
typedef void (*mam_transport_serve)(void *session, void *bytes, size_t count);

/// NULL and errno if there is no memory or no thread-specific key left.
struct mam_transport *mam_transport_new(void);

/// Call only after mam_transport_stop() returned true, when no thread reads any more.
void mam_transport_free(struct mam_transport *transport);

/// Sets the object that handlers serve: libfuse passes them only the context.
void mam_transport_set_owner(struct mam_transport *transport, void *owner);
void *mam_transport_owner(const struct mam_transport *transport);

/// Call before the first request. With `uses_ring`, requests arrive by io_uring if the kernel
/// offers it. `begun` is called once, when the first request was answered.
void mam_transport_prepare(struct mam_transport *transport, bool uses_ring,
                           mam_transport_serve serve, void *session, void (*begun)(void *owner));

/// Ends the threads that serve the kernel's queues; the session must exist until then. False if one
/// of them is still serving a request after that many milliseconds: it may use context and session.
bool mam_transport_stop(struct mam_transport *transport, int64_t milliseconds);

enum mam_ring_state {
        MAM_RING_UNASKED,
        MAM_RING_NOT_OFFERED,
        MAM_RING_SMALL,
        MAM_RING_FAILED,
        MAM_RING_USED,
};

/// Whether requests arrive by io_uring. Final once `begun` is called.
enum mam_ring_state mam_transport_ring_state(const struct mam_transport *transport);

/// Whether files that were opened past the kernel's cache can be mapped all the same. Final once
/// `begun` is called.
bool mam_transport_maps_direct(const struct mam_transport *transport);

/// The error number if io_uring failed; the largest reply or write in bytes.
int mam_transport_ring_error(const struct mam_transport *transport);
int64_t mam_transport_payload(const struct mam_transport *transport);

/// The number of queues served, and of their threads; 0 without io_uring.
int mam_transport_queue_count(const struct mam_transport *transport);
int mam_transport_thread_count(const struct mam_transport *transport);

/// Threads waiting for a request, and requests taken so far: of one queue, or of /dev/fuse (-1).
int64_t mam_transport_waiting_count(const struct mam_transport *transport, int queue);
int64_t mam_transport_taken_count(const struct mam_transport *transport, int queue);

/// A buffer of `count` bytes for the reply to the READ that this thread serves, which saves a copy
/// and need not be zeroed. NULL if there is none.
void *mam_transport_reply_room(struct mam_transport *transport, size_t count);

/// Called in a request that another thread will answer later, after making requests itself. Ensures
/// that half of the queue's threads stay free for those. If it returns false, answer the request at
/// once.
bool mam_transport_may_wait(struct mam_transport *transport);
