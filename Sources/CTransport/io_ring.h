// One io_uring, with the three system calls that it has. All is done by the thread that opened it.
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

// False and errno on failure; it is to be closed all the same.
bool io_ring_open(struct io_ring *ring);
void io_ring_close(struct io_ring *ring);

// An entry to be filled in, all zeros otherwise; `user_data` comes back with its completion.
struct io_uring_sqe *io_ring_add(struct io_ring *ring, uint8_t operation, int file,
                                 uint64_t user_data);

// Has the kernel take what was added, and with `waits` waits for a completion. Without it no
// program's request is copied into our memory meanwhile: that is left to the next call that waits
// (IORING_SETUP_DEFER_TASKRUN).
bool io_ring_enter(struct io_ring *ring, bool waits);
bool io_ring_submit(struct io_ring *ring);

// One that has come, after so many others; NULL if there is none.
struct io_uring_cqe *io_ring_completion(const struct io_ring *ring, unsigned skipped);

// The first one is done with.
void io_ring_consume(struct io_ring *ring);
