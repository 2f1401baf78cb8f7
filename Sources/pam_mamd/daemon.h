// Calls of a daemon: one at a time, each ended by a point in time.
#pragma once

#include "reply.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Milliseconds of the monotonic clock
long long now(void);

// A reply's limit: a thousand accounts of other users have room.
enum { MAXIMUM_REPLY = 1 << 20 };

struct daemon {
    int socket;
    // MAXIMUM_REPLY bytes
    char *buffer;
};

// Connects to a socket in the working directory. -1 with errno: ECONNREFUSED if nobody listens
// there (yet), EPERM if it is neither root nor the user.
int daemon_connect(const char *name, uid_t user);

// Sends a call, with up to two descriptors, and reads its reply. False with ETIMEDOUT if it does
// not come by `end`, EPROTO if it is none, or another errno.
bool daemon_call(const struct daemon *daemon, const char *call, const int *descriptors,
                 size_t count, uid_t user, long long end, struct reply *reply);
