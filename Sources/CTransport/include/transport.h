// How FUSE's requests come from the kernel: by /dev/fuse, or by its io_uring queues.
//
// A mount has one context, and nothing here belongs to the process. libfuse reads and writes by
// mam_transport_read() and mam_transport_writev() (fuse_custom_io), which have libfuse's types, and
// so are declared in CFuse3. docs/ARCHITECTURE.md, "Transport", says why it is so.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mam_transport;

/// Runs one request in `session`: `bytes` are as if they had been read from /dev/fuse.
typedef void (*mam_transport_serve)(void *session, void *bytes, size_t count);

/// NULL and errno if there is no memory or no room for a thread-specific key.
struct mam_transport *mam_transport_new(void);

/// Only after mam_transport_stop() returned true, and when no thread reads any more.
void mam_transport_free(struct mam_transport *transport);

/// What is served, for who has only the context: libfuse hands that to each request's handler.
void mam_transport_set_owner(struct mam_transport *transport, void *owner);
void *mam_transport_owner(const struct mam_transport *transport);

/// Before the first request. With `uses_ring` requests come by io_uring, should the kernel offer
/// that. `begun` is called once, when the kernel has the answer to its first request.
void mam_transport_prepare(struct mam_transport *transport, bool uses_ring,
                           mam_transport_serve serve, void *session, void (*begun)(void *owner));

/// Ends the threads that serve the kernel's queues; the session must be there until then. False if
/// one of them is still at a request after so many milliseconds: it may use context and session.
bool mam_transport_stop(struct mam_transport *transport, int64_t milliseconds);

enum mam_ring_state {
        MAM_RING_UNASKED,
        MAM_RING_NOT_OFFERED,
        MAM_RING_SMALL,
        MAM_RING_FAILED,
        MAM_RING_USED,
};

/// Whether requests come by io_uring. Settled when `begun` is called.
enum mam_ring_state mam_transport_ring_state(const struct mam_transport *transport);

/// Where that failed: the error number. The most bytes that a reply or a write may have.
int mam_transport_ring_error(const struct mam_transport *transport);
int64_t mam_transport_payload(const struct mam_transport *transport);

/// How many of the kernel's queues are served, and by how many threads; 0 without io_uring.
int mam_transport_queue_count(const struct mam_transport *transport);
int mam_transport_thread_count(const struct mam_transport *transport);

/// Threads that wait for a request, and requests taken so far: of one queue, or of /dev/fuse (-1).
int64_t mam_transport_waiting_count(const struct mam_transport *transport, int queue);
int64_t mam_transport_taken_count(const struct mam_transport *transport, int queue);

/// Where the reply to the READ that this thread serves may be made, so that nobody copies it: room
/// for `count` bytes, which nobody has to zero. NULL if there is no such place.
void *mam_transport_reply_room(struct mam_transport *transport, size_t count);

/// Called in a request that is to be answered later, by another thread that may make requests
/// itself. Makes sure that half of the queue's threads are left for these. False if that cannot be:
/// then it must be answered at once.
bool mam_transport_may_wait(struct mam_transport *transport);
