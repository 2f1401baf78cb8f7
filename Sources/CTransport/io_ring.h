// One io_uring and its three system calls. Only the thread that opened it uses it.
#pragma once
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_ring {
        int descriptor;
        // The kernel's two queues, mapped.
        void *rings, *entries;
        size_t rings_size, entries_size;
        _Atomic unsigned *sq_tail, *cq_head, *cq_tail;
        unsigned sq_mask, cq_mask, unsubmitted;
        struct io_uring_cqe *completions;
};

// False and errno on failure; close it even then.
bool io_ring_open(struct io_ring *ring);
void io_ring_close(struct io_ring *ring);

// An entry to fill in, otherwise zero; `user_data` comes back with its completion.
struct io_uring_sqe *io_ring_add(struct io_ring *ring, uint8_t operation, int file,
                                 uint64_t user_data);

// Submits the added entries, and with `waits` waits for a completion. Without it the kernel copies
// no request into our memory: that happens in the next call that waits
// (IORING_SETUP_DEFER_TASKRUN).
bool io_ring_enter(struct io_ring *ring, bool waits);
bool io_ring_submit(struct io_ring *ring);

// A completion after skipping some; NULL if there is none.
struct io_uring_cqe *io_ring_completion(const struct io_ring *ring, unsigned skipped);

// Releases the first completion.
void io_ring_consume(struct io_ring *ring);
