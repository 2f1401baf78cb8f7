#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "turns.h"

// As fuse_custom_io wants them; CFuse3 declares them too.
ssize_t mam_device_receive(int device, void *buffer, size_t count, void *unused);
ssize_t mam_device_send(int device, struct iovec *parts, int count, void *unused);

// A process has one mount. Threads are cancelled while they wait here: no frame of Swift's may be below.
static _Atomic int64_t waiting_count, request_count;

int64_t mam_device_waiting_count(void) { return atomic_load_explicit(&waiting_count, memory_order_relaxed); }

int64_t mam_device_request_count(void) { return atomic_load_explicit(&request_count, memory_order_relaxed); }

// How long a listener asks again and again before it sleeps: about what it costs to wake it.
enum { SPIN_NANOSECONDS = 30000 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static ssize_t read_soon(int device, void *buffer, size_t count) {
    int64_t end = 0;
    for (;;) {
        const ssize_t found = read(device, buffer, count);
        if (found >= 0 || errno != EAGAIN) return found;
        const int64_t time = now();
        if (end == 0) end = time + SPIN_NANOSECONDS;
        if (time < end) {
            // Whoever makes the request may need this processor.
            sched_yield();
            continue;
        }
        struct pollfd request = {.fd = device, .events = POLLIN};
        poll(&request, 1, -1);
        mam_turn_awake();
        end = 0;
    }
}

// Large ones, those that wait for the disk, and those that are many in one.
static bool may_take_long(const struct fuse_in_header *head) {
    enum { LARGE = 65536 };
    switch (head->opcode) {
    case FUSE_READ: return ((const struct fuse_read_in *)(head + 1))->size >= LARGE;
    case FUSE_WRITE: return ((const struct fuse_write_in *)(head + 1))->size >= LARGE;
    case FUSE_FSYNC:
    case FUSE_FSYNCDIR:
    case FUSE_FALLOCATE:
    case FUSE_COPY_FILE_RANGE:
    case FUSE_READDIR:
    case FUSE_READDIRPLUS: return true;
    default: return false;
    }
}

// What libfuse 3.14 never asks for: look-ups in one directory side by side, and no question for capabilities at each write(2).
enum { WANTED = FUSE_PARALLEL_DIROPS | FUSE_HANDLE_KILLPRIV_V2 };
static _Atomic uint64_t init_unique;
static uint32_t offered;

static void note_offer(const struct fuse_in_header *head) {
    const struct fuse_init_in *const init = (const void *)(head + 1);
    if (head->len < sizeof *head + offsetof(struct fuse_init_in, flags) + sizeof init->flags) return;
    offered = init->flags;
    init_unique = head->unique;
}

static void accept_offer(const struct iovec *parts, int count) {
    const struct fuse_out_header *const head = parts[0].iov_base;
    if (init_unique == 0 || head->unique != init_unique || head->error != 0 || count < 2) return;
    struct fuse_init_out *const init = parts[1].iov_base;
    init->flags |= offered & WANTED;
    // The kernel takes the smaller one of this and what the mount's backing device says, which root may raise.
    init->max_readahead = init->max_write;
    init_unique = 0;
}

ssize_t mam_device_receive(int device, void *buffer, size_t count, void *unused) {
    (void)unused;
    static _Thread_local int own_device = -1;
    if (own_device != device) {
        fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK);
        own_device = device;
    }
    atomic_fetch_add_explicit(&waiting_count, 1, memory_order_relaxed);
    mam_turn_listen();
    const ssize_t found = read_soon(device, buffer, count);
    atomic_fetch_sub_explicit(&waiting_count, 1, memory_order_relaxed);
    struct fuse_in_header *const head = buffer;
    if (found < (ssize_t)sizeof *head) return found;
    atomic_fetch_add_explicit(&request_count, 1, memory_order_relaxed);
    mam_turn_serve(may_take_long(head));
    // Files without a name (open(2) with O_TMPFILE) are asked for by a number of their own since Linux 6.2, which libfuse 3.14
    // does not know. Such a request looks as one that creates a file, and is answered alike. Its flags still tell.
    enum { TMPFILE = 51 };
    if (head->opcode == TMPFILE) head->opcode = FUSE_CREATE;
    if (head->opcode == FUSE_INIT) note_offer(head);
    return found;
}

ssize_t mam_device_send(int device, struct iovec *parts, int count, void *unused) {
    (void)unused;
    accept_offer(parts, count);
    return writev(device, parts, count);
}
