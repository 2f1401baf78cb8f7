// One ring of io_uring's, with the three system calls that it has. All is done by the thread that opened it.
#pragma once
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_ring {
    int descriptor;
    // The kernel's two queues, mapped.
    void *rings, *commands;
    size_t rings_size, commands_size;
    _Atomic unsigned *submitted, *completed_head, *completed_tail;
    unsigned submit_mask, complete_mask, unsent;
    struct io_uring_cqe *completions;
};

// False and errno on failure; it is to be closed all the same.
bool mam_io_ring_open(struct io_ring *ring);
void mam_io_ring_close(struct io_ring *ring);

// A command to be filled in, all zeros otherwise; `purpose` comes back with its completion.
struct io_uring_sqe *mam_io_ring_add(struct io_ring *ring, uint8_t operation, int device, uint64_t purpose);

// Has the kernel take what was added, and with `waits` waits for a completion. Without it no program's request is copied into
// our memory meanwhile: that is left to the next call that waits (IORING_SETUP_DEFER_TASKRUN).
bool mam_io_ring_enter(struct io_ring *ring, bool waits);
bool mam_io_ring_send(struct io_ring *ring);

// One that has come, after so many others; NULL if there is none.
struct io_uring_cqe *mam_io_ring_completion(const struct io_ring *ring, unsigned skipped);

// The first one is done with.
void mam_io_ring_take(struct io_ring *ring);
