// libfuse 3's low-level API, since 3.14. The version picks the ABI of fuse_session_loop_mt, its
// config, and what of fuse_custom_io is read.
#pragma once
#define FUSE_USE_VERSION 317
#include <fuse_lowlevel.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

// Versioned by macros that Swift cannot import; the first since libfuse 3.17.
static inline struct fuse_session *mam_session_new(struct fuse_args *arguments,
                                                   const struct fuse_lowlevel_ops *operations,
                                                   size_t size, void *data) {
    return fuse_session_new(arguments, operations, size, data);
}

static inline int mam_session_loop(struct fuse_session *session, struct fuse_loop_config *config) {
    return fuse_session_loop_mt(session, config);
}

// In CTransport, device.c.
ssize_t mam_transport_read(int device, void *buffer, size_t count, void *data);
ssize_t mam_transport_writev(int device, struct iovec *parts, int count, void *data);
int mam_transport_clone(int device);

// All libfuse threads read and write through these. The session's user data is the context.
static inline int mam_use_transport(struct fuse_session *session) {
    const int device = fuse_session_fd(session);
#if FUSE_VERSION < FUSE_MAKE_VERSION(3, 17)
    const struct fuse_custom_io io = {.writev = mam_transport_writev, .read = mam_transport_read};
    return fuse_session_custom_io(session, &io, device);
#else
    const struct fuse_custom_io io = {
        .writev = mam_transport_writev,
        .read = mam_transport_read,
        .clone_fd = mam_transport_clone,
    };
    return fuse_session_custom_io(session, &io, sizeof io, device);
#endif
}

// Serves a request from elsewhere. libfuse decodes it in place.
static inline void mam_serve_request(void *session, void *bytes, size_t count) {
    const struct fuse_buf request = {.mem = bytes, .size = count};
    fuse_session_process_buf(session, &request);
}

// FUSE_NOTIFY_PRUNE, since Linux 6.18: forget these inodes if unused. libfuse 3.14 does not know
// it.
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
