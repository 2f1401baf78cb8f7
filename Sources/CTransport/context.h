// The context of a mount's transport, and what its parts have of each other.
#pragma once
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "leaders.h"
#include "rings.h"
#include "transport.h"

// INIT, the first request of all: what the kernel offers there, and what comes of it.
struct init {
        // Not 0 while its answer is yet to come.
        _Atomic uint64_t unique;
        uint32_t offered, offered_more;

        bool uses_ring;
        void (*begun)(void *owner);
        _Atomic int ring_state, ring_error;
        _Atomic int64_t payload;
};

struct mam_transport {
        void *owner;
        struct init init;
        struct rings rings;

        // Of /dev/fuse.
        struct leaders leaders;
        // A thread's struct device_worker. The threads are libfuse's, and its hooks tell nothing of
        // them.
        pthread_key_t device_worker;
        _Atomic int64_t waiting_count, taken_count;
        // Whether the last sync took so little that it was no disk it waited for.
        _Atomic bool syncs_are_short;
};

void init_note_offer(struct init *init, const struct fuse_in_header *head);
bool init_is_answer(const struct init *init, const struct iovec *parts, int count);

// Adds to libfuse's answer what is wanted of the offer, and sends it.
ssize_t init_answer(struct mam_transport *transport, int device, const struct iovec *parts);
