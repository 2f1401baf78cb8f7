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
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "lone_caller.h"
#include "requests.h"
#include "turns.h"
#include "uring.h"

// As fuse_custom_io wants them; CFuse3 declares them too.
ssize_t mam_device_receive(int device, void *buffer, size_t count, void *unused);
ssize_t mam_device_send(int device, struct iovec *parts, int count, void *data);

// A process has one mount. Threads are cancelled while they wait here: no frame of Swift's may be below.
static _Atomic int64_t waiting_count, request_count;

int64_t mam_device_waiting_count(void) { return atomic_load_explicit(&waiting_count, memory_order_relaxed); }

int64_t mam_device_request_count(void) { return atomic_load_explicit(&request_count, memory_order_relaxed); }

// How long a listener asks again and again before it sleeps (docs/adr/0025); 0 where waiting is to cost nothing.
static int64_t patience = 30000;

static ssize_t read_soon(int device, void *buffer, size_t count) {
    int64_t end = 0;
    for (;;) {
        const ssize_t found = read(device, buffer, count);
        if (found >= 0 || errno != EAGAIN) return found;
        if (mam_turn_is_surplus()) {
            mam_turn_listen();
            end = 0;
        }
        mam_lone_follow();
        const int64_t time = now();
        if (end == 0) end = time + patience;
        if (time < end) {
            // Whoever makes the request may need this processor.
            sched_yield();
            continue;
        }
        struct pollfd request = {.fd = device, .events = POLLIN};
        poll(&request, 1, -1);
        end = 0;
    }
}

// Whether the last sync took so little that it was no disk it waited for.
static _Atomic bool syncs_are_short;
static _Thread_local int64_t sync_start;

static void begin_sync(const struct fuse_in_header *head) {
    if (head->opcode == FUSE_FSYNC) sync_start = now();
}

// When the thread comes for the next request.
static void end_sync(void) {
    enum { SHORT_NANOSECONDS = 200000 };
    if (sync_start == 0) return;
    atomic_store_explicit(&syncs_are_short, now() - sync_start < SHORT_NANOSECONDS, memory_order_relaxed);
    sync_start = 0;
}

static bool is_large(const struct fuse_in_header *head) {
    switch (head->opcode) {
    case FUSE_READ: return ((const struct fuse_read_in *)(head + 1))->size >= LARGE_REQUEST;
    case FUSE_WRITE: return ((const struct fuse_write_in *)(head + 1))->size >= LARGE_REQUEST;
    case FUSE_COPY_FILE_RANGE: return true;
    default: return false;
    }
}

// And those that wait for the disk.
static bool may_take_long(const struct fuse_in_header *head) {
    switch (head->opcode) {
    case FUSE_FSYNC: return !atomic_load_explicit(&syncs_are_short, memory_order_relaxed);
    case FUSE_FSYNCDIR:
    case FUSE_FALLOCATE: return true;
    default: return is_large(head);
    }
}

// What libfuse 3.14 never asks for: look-ups in one directory side by side, and no question for capabilities at each write(2).
enum { WANTED = FUSE_PARALLEL_DIROPS | FUSE_HANDLE_KILLPRIV_V2 };
static _Atomic uint64_t init_unique;
static uint32_t offered, offered_more;

// What <linux/fuse.h> of Debian 12 does not have yet: bit 41 of all, of `flags2`.
enum { OVER_IO_URING = 1 << 9 };
// Below that a request may not fit into a ring's buffer, which no kernel up to 6.18 survives: the largest beside writes sets
// an attribute of 64 KiB.
enum { SMALLEST_PAYLOAD = 128 * 1024 };

static struct {
    bool uses_ring;
    mam_serve serve;
    void *session;
    void (*begun)(void *data);
    _Atomic int state, error;
    _Atomic int64_t payload;
} wanted;

void mam_device_wait(int may_spin, int may_keep_processor) {
    if (!may_spin) patience = 0;
    mam_lone_prepare(may_keep_processor);
}

void mam_device_prepare(int uses_ring, mam_serve serve, void *session, void (*begun)(void *data)) {
    wanted.uses_ring = uses_ring;
    wanted.serve = serve;
    wanted.session = session;
    wanted.begun = begun;
}

enum mam_ring_state mam_device_ring_state(void) { return (enum mam_ring_state)wanted.state; }

int mam_device_ring_error(void) { return wanted.error; }

int64_t mam_device_payload(void) { return wanted.payload; }

static void note_offer(const struct fuse_in_header *head) {
    const struct fuse_init_in *const init = (const void *)(head + 1);
    if (head->len < sizeof *head + offsetof(struct fuse_init_in, flags) + sizeof init->flags) return;
    offered = init->flags;
    offered_more = head->len >= sizeof *head + sizeof *init && (init->flags & FUSE_INIT_EXT) ? init->flags2 : 0;
    init_unique = head->unique;
}

// What the kernel makes of its answer.
static size_t payload_of(const struct fuse_init_out *init) {
    const size_t pages = (size_t)init->max_pages * 4096;
    return pages > init->max_write ? pages : init->max_write;
}

static bool settle(enum mam_ring_state state, int error) {
    wanted.error = error;
    wanted.state = state;
    return state == MAM_RING_USED;
}

static bool prepare_ring(int device, const struct fuse_init_out *init) {
    if (!wanted.uses_ring) return false;
    if (!(offered_more & OVER_IO_URING)) return settle(MAM_RING_NOT_OFFERED, 0);
    if (init->max_write < SMALLEST_PAYLOAD || !(init->flags & FUSE_INIT_EXT)) return settle(MAM_RING_SMALL, 0);
    wanted.payload = (int64_t)payload_of(init);
    const int error = mam_ring_prepare(device, payload_of(init), wanted.serve, wanted.session);
    return settle(error ? MAM_RING_FAILED : MAM_RING_USED, error);
}

static void accept_offer(struct fuse_init_out *init, bool has_ring) {
    init->flags |= offered & WANTED;
    // The kernel takes the smaller one of this and what the mount's backing device says, which root may raise.
    init->max_readahead = init->max_write;
    if (has_ring) init->flags2 |= OVER_IO_URING;
}

// All that can fail of the ring is done before the kernel is told of it: from then on every request waits for it.
static ssize_t answer_init(int device, const struct iovec *parts, void *data) {
    init_unique = 0;
    struct fuse_init_out *const init = parts[1].iov_base;
    const bool has_ring = prepare_ring(device, init);
    accept_offer(init, has_ring);
    const ssize_t sent = writev(device, parts, 2);
    if (has_ring && sent > 0) {
        const int error = mam_ring_register();
        if (error) settle(MAM_RING_FAILED, error);
    }
    if (wanted.begun) wanted.begun(data);
    return sent;
}

static bool is_answer_to_init(const struct iovec *parts, int count) {
    const struct fuse_out_header *const head = parts[0].iov_base;
    if (init_unique == 0 || head->unique != init_unique || head->error != 0) return false;
    return count == 2 && parts[1].iov_len == sizeof(struct fuse_init_out);
}

ssize_t mam_device_receive(int device, void *buffer, size_t count, void *unused) {
    (void)unused;
    static _Thread_local int own_device = -1;
    if (own_device != device) {
        fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK);
        own_device = device;
    }
    atomic_fetch_add_explicit(&waiting_count, 1, memory_order_relaxed);
    end_sync();
    mam_turn_listen();
    const ssize_t found = read_soon(device, buffer, count);
    atomic_fetch_sub_explicit(&waiting_count, 1, memory_order_relaxed);
    struct fuse_in_header *const head = buffer;
    if (found < (ssize_t)sizeof *head) {
        // After an unmount the next one finds the same, and so all end, without being told.
        mam_turn_give_up();
        return found;
    }
    atomic_fetch_add_explicit(&request_count, 1, memory_order_relaxed);
    mam_lone_note(head->pid, -1, !is_large(head));
    mam_turn_serve(may_take_long(head));
    begin_sync(head);
    make_known(head);
    if (head->opcode == FUSE_INIT) note_offer(head);
    return found;
}

ssize_t mam_device_send(int device, struct iovec *parts, int count, void *data) {
    if (mam_ring_answer(parts, count)) return ((const struct fuse_out_header *)parts[0].iov_base)->len;
    if (is_answer_to_init(parts, count)) return answer_init(device, parts, data);
    return writev(device, parts, count);
}
