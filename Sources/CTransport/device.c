// Handles requests from /dev/fuse before libfuse sees them, and replies.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "requests.h"

// The signatures of fuse_custom_io. libfuse passes both the session's user data: the context.
ssize_t mam_transport_read(int device, void *buffer, size_t count, void *data);
ssize_t mam_transport_writev(int device, struct iovec *parts, int count, void *data);
int mam_transport_clone(int device);

// One of libfuse's threads. libfuse cancels them while they wait here, so no Swift frame may be
// below.
struct device_worker {
        struct leadership leadership;
        // The start of the sync being served, or 0.
        int64_t sync_start;
};

// NULL and errno on failure. Freed with its thread.
static struct device_worker *current_worker(struct mam_transport *transport) {
        struct device_worker *worker = pthread_getspecific(transport->device_worker);
        int error;

        if (worker)
                return worker;
        worker = calloc(1, sizeof *worker);
        if (!worker)
                return NULL;
        worker->leadership = NO_LEADERSHIP;
        error = pthread_setspecific(transport->device_worker, worker);
        if (error) {
                free(worker);
                errno = error;
                return NULL;
        }
        return worker;
}

// Called when the thread is ready for the next request.
static void end_sync(struct mam_transport *transport, struct device_worker *worker) {
        enum { SHORT_NSEC = 200000 };

        if (worker->sync_start == 0)
                return;
        atomic_store_explicit(&transport->syncs_are_short,
                              now_nsec() - worker->sync_start < SHORT_NSEC, memory_order_relaxed);
        worker->sync_start = 0;
}

// Large requests, and those that wait for the disk.
static bool may_take_long(struct mam_transport *transport, const struct fuse_in_header *head) {
        switch (head->opcode) {
        case FUSE_FSYNC:
                return !atomic_load_explicit(&transport->syncs_are_short, memory_order_relaxed);
        case FUSE_FSYNCDIR:
        case FUSE_FALLOCATE:
                return true;
        default:
                return request_is_large(head, head + 1);
        }
}

// While rings may come to be used, no thread blocks in read(2): it would take a FORGET out of turn.
static ssize_t read_request(struct mam_transport *transport, int device, void *buffer,
                            size_t count) {
        struct forgets *forgets = &transport->rings.forgets;
        struct pollfd ready = {.fd = device, .events = POLLIN};

        while (init_may_use_rings(&transport->init)) {
                if (poll(&ready, 1, -1) < 0)
                        return -1;
                if (forgets_are_alone(forgets)) {
                        if (!forgets_serve(forgets))
                                return -1;
                } else {
                        const ssize_t found = forgets_read_any(forgets, device, buffer, count);

                        if (found >= 0 || errno != EAGAIN)
                                return found;
                }
        }
        return read(device, buffer, count);
}

ssize_t mam_transport_read(int device, void *buffer, size_t count, void *data) {
        struct mam_transport *transport = data;
        struct device_worker *worker = current_worker(transport);
        struct fuse_in_header *head = buffer;
        ssize_t found;

        if (!worker)
                return -1;
        atomic_fetch_add_explicit(&transport->waiting_count, 1, memory_order_relaxed);
        end_sync(transport, worker);
        leaders_lead(&transport->leaders, &worker->leadership);
        found = read_request(transport, device, buffer, count);
        atomic_fetch_sub_explicit(&transport->waiting_count, 1, memory_order_relaxed);
        if (found < (ssize_t)sizeof *head) {
                const int error = errno;

                // After an unmount the next leader gets the same error, so all threads end one by
                // one.
                leaders_resign(&transport->leaders, &worker->leadership);
                errno = error;
                return found;
        }
        atomic_fetch_add_explicit(&transport->taken_count, 1, memory_order_relaxed);
        leaders_serve(&transport->leaders, &worker->leadership, may_take_long(transport, head));
        if (head->opcode == FUSE_FSYNC)
                worker->sync_start = now_nsec();
        request_make_known(head);
        if (head->opcode == FUSE_INIT)
                init_note_offer(&transport->init, head);
        return found;
}

ssize_t mam_transport_writev(int device, struct iovec *parts, int count, void *data) {
        struct mam_transport *transport = data;

        if (rings_answer(&transport->rings, parts, count))
                return ((const struct fuse_out_header *)parts[0].iov_base)->len;
        if (init_is_answer(&transport->init, parts, count))
                return init_answer(transport, device, parts);
        return writev(device, parts, count);
}

// A descriptor of its own for a thread. libfuse before 3.17 makes it itself.
int mam_transport_clone(int device) {
        const int clone = open("/dev/fuse", O_RDWR | O_CLOEXEC);
        uint32_t source = (uint32_t)device;

        if (clone < 0 || ioctl(clone, FUSE_DEV_IOC_CLONE, &source) == 0)
                return clone;
        close(clone);
        return -1;
}
