// libfuse 3's low-level API. The version picks the ABI of fuse_session_loop_mt and its config.
#pragma once
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

// Versioned by a macro that Swift cannot import.
static inline int mam_session_loop(struct fuse_session *session, struct fuse_loop_config *config) {
    return fuse_session_loop_mt(session, config);
}
