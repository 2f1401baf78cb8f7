#define _GNU_SOURCE
#include "io_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

bool mam_io_ring_open(struct io_ring *ring) {
    struct io_uring_params found = {
        .flags = IORING_SETUP_SQE128 | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    ring->descriptor = (int)syscall(__NR_io_uring_setup, 4, &found);
    if (ring->descriptor < 0) return false;
    const size_t ends[] = {found.sq_off.array + found.sq_entries * sizeof(unsigned),
                           found.cq_off.cqes + found.cq_entries * sizeof(struct io_uring_cqe)};
    ring->rings_size = ends[0] > ends[1] ? ends[0] : ends[1];
    ring->commands_size = found.sq_entries * 2 * sizeof(struct io_uring_sqe);
    const int access = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_POPULATE;
    char *rings = ring->rings = mmap(NULL, ring->rings_size, access, kind, ring->descriptor, IORING_OFF_SQ_RING);
    ring->commands = mmap(NULL, ring->commands_size, access, kind, ring->descriptor, IORING_OFF_SQES);
    if (ring->rings == MAP_FAILED || ring->commands == MAP_FAILED) return false;
    ring->submitted = (_Atomic unsigned *)(rings + found.sq_off.tail);
    ring->submit_mask = *(unsigned *)(rings + found.sq_off.ring_mask);
    ring->completed_head = (_Atomic unsigned *)(rings + found.cq_off.head);
    ring->completed_tail = (_Atomic unsigned *)(rings + found.cq_off.tail);
    ring->complete_mask = *(unsigned *)(rings + found.cq_off.ring_mask);
    ring->completions = (struct io_uring_cqe *)(rings + found.cq_off.cqes);
    unsigned *order = (unsigned *)(rings + found.sq_off.array);
    for (unsigned i = 0; i < found.sq_entries; i++) order[i] = i;
    return true;
}

void mam_io_ring_close(struct io_ring *ring) {
    if (ring->descriptor >= 0) close(ring->descriptor);
    if (ring->rings && ring->rings != MAP_FAILED) munmap(ring->rings, ring->rings_size);
    if (ring->commands && ring->commands != MAP_FAILED) munmap(ring->commands, ring->commands_size);
    *ring = (struct io_ring){.descriptor = -1};
}

// Each takes 128 bytes, and is used again: what a request before left there would count.
struct io_uring_sqe *mam_io_ring_add(struct io_ring *ring, uint8_t operation, int device, uint64_t purpose) {
    const unsigned tail = atomic_load_explicit(ring->submitted, memory_order_relaxed);
    struct io_uring_sqe *command = (struct io_uring_sqe *)ring->commands + 2 * (tail & ring->submit_mask);
    memset(command, 0, 2 * sizeof *command);
    command->opcode = operation;
    command->fd = device;
    command->user_data = purpose;
    atomic_store_explicit(ring->submitted, tail + 1, memory_order_release);
    ring->unsent++;
    return command;
}

bool mam_io_ring_enter(struct io_ring *ring, bool waits) {
    const unsigned flags = waits ? IORING_ENTER_GETEVENTS : 0;
    const long taken = syscall(__NR_io_uring_enter, ring->descriptor, ring->unsent, waits, flags, NULL, 0);
    if (taken < 0) {
        if (errno == EAGAIN || errno == EBUSY) usleep(1000);
        return errno == EINTR || errno == EAGAIN || errno == EBUSY;
    }
    ring->unsent -= (unsigned)taken;
    return true;
}

bool mam_io_ring_send(struct io_ring *ring) {
    while (ring->unsent)
        if (!mam_io_ring_enter(ring, false)) return false;
    return true;
}

struct io_uring_cqe *mam_io_ring_completion(const struct io_ring *ring, unsigned skipped) {
    const unsigned head = atomic_load_explicit(ring->completed_head, memory_order_relaxed) + skipped;
    if (head == atomic_load_explicit(ring->completed_tail, memory_order_acquire)) return NULL;
    return &ring->completions[head & ring->complete_mask];
}

void mam_io_ring_take(struct io_ring *ring) {
    const unsigned head = atomic_load_explicit(ring->completed_head, memory_order_relaxed);
    atomic_store_explicit(ring->completed_head, head + 1, memory_order_release);
}
