// libfuse 3's low-level API. The version picks the ABI of fuse_session_loop_mt and its config.
#pragma once
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

// Versioned by a macro that Swift cannot import.
static inline int mam_session_loop(struct fuse_session *session, struct fuse_loop_config *config) {
    return fuse_session_loop_mt(session, config);
}

// Requests for files without a name (open(2) with O_TMPFILE) have a number of their own since Linux 6.2, which libfuse
// 3.14 does not know. They look as those that create a file do, and are answered alike: so they become that before
// libfuse sees them. Their flags still tell.
enum { MAM_CREATE = 35, MAM_TMPFILE = 51 };

static inline ssize_t mam_receive(int device, void *buffer, size_t count) {
    const ssize_t found = read(device, buffer, count);
    // struct fuse_in_header: the length, then the number of the request.
    uint32_t *const number = (uint32_t *)buffer + 1;
    if (found >= 8 && *number == MAM_TMPFILE) *number = MAM_CREATE;
    return found;
}

static inline ssize_t mam_send(int device, struct iovec *parts, int count, void *data) {
    (void)data;
    return writev(device, parts, count);
}

// `data` of what receives is what the session was made with.
static inline int mam_receive_ourselves(struct fuse_session *session,
                                        ssize_t (*receive)(int device, void *buffer, size_t count, void *data)) {
    const struct fuse_custom_io io = {.writev = mam_send, .read = receive};
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

// FUSE_NOTIFY_PRUNE, since Linux 6.18: forget these inodes where nobody uses them. libfuse 3.14 does not know it.
static inline int mam_prune(struct fuse_session *session, const uint64_t *nodes, uint32_t count) {
    struct {
        // fuse_out_header, fuse_notify_prune_out
        uint32_t length;
        int32_t code;
        uint64_t unique;
        uint32_t count, padding;
        uint64_t spare;
    } head = {.code = 9, .count = count};
    const size_t size = count * sizeof *nodes;
    head.length = (uint32_t)(sizeof head + size);
    const struct iovec parts[] = {{&head, sizeof head}, {(void *)nodes, size}};
    return writev(fuse_session_fd(session), parts, 2) < 0 ? -1 : 0;
}
