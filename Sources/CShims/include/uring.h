// FUSE's requests through io_uring: a queue for each CPU that there may be, and some threads for each queue.
//
// Which bytes go where is the kernel's include/uapi/linux/fuse.h; docs/ARCHITECTURE.md, "Transport", says why it is so.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct iovec;

/// Runs one request: `bytes` are as if they had been read from /dev/fuse.
typedef void (*mam_serve)(void *session, void *bytes, size_t count);

/// Makes threads, rings and buffers, and registers nothing yet: the kernel does not know of them. `device` is an opened
/// /dev/fuse; `payload` the largest reply or write. 0, or an error number and nothing is left.
int mam_ring_prepare(int device, size_t payload, mam_serve serve, void *session);

/// Hands the buffers to the kernel, which sends requests from then on. Only after its INIT was answered with the flag. 0, or
/// an error number: the kernel was told to stay with /dev/fuse.
int mam_ring_register(void);

/// Ends what mam_ring_prepare() made. Returns 1 if all threads have ended by then, or there were none; otherwise one may
/// still use the session.
int mam_ring_stop(int64_t milliseconds);

/// Takes the reply if it answers a request of a ring's: 1; otherwise 0.
int mam_ring_answer(const struct iovec *parts, int count);

/// Where the reply to this thread's READ may be made, so that nobody copies it: room for `count` bytes, which nobody has to
/// zero. NULL if there is no such place.
void *mam_ring_reply_room(size_t count);

int mam_ring_queue_count(void);
int mam_ring_thread_count(void);

/// Called in a request that is to be answered later, by another thread that may make requests itself. Makes sure that half of
/// the queue's threads are left for these. 0 if that cannot be: then it must be answered at once.
int mam_ring_may_wait(void);

/// Of one queue: how many threads wait for a request now, and how many requests were taken.
int64_t mam_ring_waiting_count(int queue);
int64_t mam_ring_taken_count(int queue);
