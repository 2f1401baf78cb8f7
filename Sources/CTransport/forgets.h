// FORGET, which the kernel sends through /dev/fuse even where all other requests come by io_uring.
//
// The kernel queues one before it makes another inode of the same number. A thread that serves all
// that are queued, and then a ring's request, knows which inodes the kernel had when it made that.
#pragma once
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "transport.h"

struct forgets {
        mam_transport_serve serve;
        void *session;
        int device;
        void *buffer;
        size_t size;
        // Held from the reading of a FORGET until it is served.
        pthread_mutex_t turn;
        // Nothing else comes through /dev/fuse, but for interrupts.
        _Atomic bool are_alone;
};

void forgets_init(struct forgets *forgets);
void forgets_destroy(struct forgets *forgets);

// `device`: the rings', which is open as long as anything is served. Returns 0 or an error number.
int forgets_prepare(struct forgets *forgets, mam_transport_serve serve, void *session, int device,
                    size_t payload_size);

// Call before the kernel sends requests by the rings, or once it is clear that it will not.
void forgets_set_alone(struct forgets *forgets, bool are_alone);
bool forgets_are_alone(const struct forgets *forgets);

// Serves those that the kernel has queued until now. False and errno once there will be no more.
bool forgets_serve(struct forgets *forgets);

// read(2) of a request while it is not clear whether they are alone. Never blocks: EAGAIN.
ssize_t forgets_read_any(struct forgets *forgets, int device, void *buffer, size_t count);
