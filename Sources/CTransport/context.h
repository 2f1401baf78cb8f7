// The context of a mount's transport, shared by its parts.
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

// INIT, the first request: what the kernel offers, and what is accepted.
struct init {
        // Nonzero until the reply is sent.
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

        // For /dev/fuse.
        struct leaders leaders;
        // A thread's struct device_worker. libfuse owns the threads, and its hooks do not identify
        // them.
        pthread_key_t device_worker;
        _Atomic int64_t waiting_count, taken_count;
        // Whether the last sync was too short to have waited for a disk.
        _Atomic bool syncs_are_short;
};

void init_note_offer(struct init *init, const struct fuse_in_header *head);
// False once it is clear that requests come by the device.
bool init_may_use_rings(const struct init *init);
// Whether files that are read and written past the kernel's cache can be mapped all the same.
bool init_maps_direct(const struct init *init);
bool init_is_answer(const struct init *init, const struct iovec *parts, int count);

// Adds the accepted offers to libfuse's reply, and sends it.
ssize_t init_answer(struct mam_transport *transport, int device, const struct iovec *parts);
