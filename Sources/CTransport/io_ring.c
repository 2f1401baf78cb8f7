#define _GNU_SOURCE
#include "io_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool map_queues(struct io_ring *ring, const struct io_uring_params *params) {
        const size_t sq_size = params->sq_entries * sizeof(unsigned);
        const size_t cq_size = params->cq_entries * sizeof(struct io_uring_cqe);
        const size_t sq_end = params->sq_off.array + sq_size;
        const size_t cq_end = params->cq_off.cqes + cq_size;
        const int access = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_POPULATE;

        ring->rings_size = sq_end > cq_end ? sq_end : cq_end;
        ring->entries_size = params->sq_entries * 2 * sizeof(struct io_uring_sqe);
        ring->rings = mmap(NULL, ring->rings_size, access, kind, ring->descriptor,
                           IORING_OFF_SQ_RING);
        ring->entries = mmap(NULL, ring->entries_size, access, kind, ring->descriptor,
                             IORING_OFF_SQES);
        return ring->rings != MAP_FAILED && ring->entries != MAP_FAILED;
}

bool io_ring_open(struct io_ring *ring) {
        struct io_uring_params params = {
                .flags = IORING_SETUP_SQE128 | IORING_SETUP_SUBMIT_ALL |
                         IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
        };
        char *rings;
        unsigned *order;

        ring->descriptor = (int)syscall(__NR_io_uring_setup, 4, &params);
        if (ring->descriptor < 0 || !map_queues(ring, &params))
                return false;
        rings = ring->rings;
        ring->sq_tail = (_Atomic unsigned *)(rings + params.sq_off.tail);
        ring->sq_mask = *(unsigned *)(rings + params.sq_off.ring_mask);
        ring->cq_head = (_Atomic unsigned *)(rings + params.cq_off.head);
        ring->cq_tail = (_Atomic unsigned *)(rings + params.cq_off.tail);
        ring->cq_mask = *(unsigned *)(rings + params.cq_off.ring_mask);
        ring->completions = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
        order = (unsigned *)(rings + params.sq_off.array);
        for (unsigned i = 0; i < params.sq_entries; i++)
                order[i] = i;
        return true;
}

void io_ring_close(struct io_ring *ring) {
        if (ring->descriptor >= 0)
                close(ring->descriptor);
        if (ring->rings && ring->rings != MAP_FAILED)
                munmap(ring->rings, ring->rings_size);
        if (ring->entries && ring->entries != MAP_FAILED)
                munmap(ring->entries, ring->entries_size);
        *ring = (struct io_ring){.descriptor = -1};
}

// Entries of 128 bytes are reused: fields left by an earlier request would take effect.
struct io_uring_sqe *io_ring_add(struct io_ring *ring, uint8_t operation, int file,
                                 uint64_t user_data) {
        const unsigned tail = atomic_load_explicit(ring->sq_tail, memory_order_relaxed);
        struct io_uring_sqe *entry = (struct io_uring_sqe *)ring->entries +
                                     2 * (tail & ring->sq_mask);

        memset(entry, 0, 2 * sizeof *entry);
        entry->opcode = operation;
        entry->fd = file;
        entry->user_data = user_data;
        atomic_store_explicit(ring->sq_tail, tail + 1, memory_order_release);
        ring->unsubmitted++;
        return entry;
}

bool io_ring_enter(struct io_ring *ring, bool waits) {
        const unsigned flags = waits ? IORING_ENTER_GETEVENTS : 0;
        const long taken = syscall(__NR_io_uring_enter, ring->descriptor, ring->unsubmitted, waits,
                                   flags, NULL, 0);

        if (taken < 0) {
                if (errno == EAGAIN || errno == EBUSY)
                        usleep(1000);
                return errno == EINTR || errno == EAGAIN || errno == EBUSY;
        }
        ring->unsubmitted -= (unsigned)taken;
        return true;
}

bool io_ring_submit(struct io_ring *ring) {
        while (ring->unsubmitted)
                if (!io_ring_enter(ring, false))
                        return false;
        return true;
}

struct io_uring_cqe *io_ring_completion(const struct io_ring *ring, unsigned skipped) {
        const unsigned head = atomic_load_explicit(ring->cq_head, memory_order_relaxed) + skipped;

        if (head == atomic_load_explicit(ring->cq_tail, memory_order_acquire))
                return NULL;
        return &ring->completions[head & ring->cq_mask];
}

void io_ring_consume(struct io_ring *ring) {
        const unsigned head = atomic_load_explicit(ring->cq_head, memory_order_relaxed);

        atomic_store_explicit(ring->cq_head, head + 1, memory_order_release);
}
