#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// From <linux/landlock.h>, because the C library's copy may be older.
struct ruleset {
    uint64_t files, network, scopes;
};
enum { ASK_VERSION = 1, BIND_TCP = 1, SIGNALS = 2 };

// Only the existence of a domain matters, not what it forbids. So it restricts what costs file
// operations nothing.
int mam_leave_processes_alone(void) {
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    if (version < 0) return -1;
    // Before version 4 there are only rules for files.
    if (version < 4) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const struct ruleset newer = {.scopes = SIGNALS}, older = {.network = BIND_TCP};
    const struct ruleset wanted = version >= 6 ? newer : older;
    const size_t size = version >= 6 ? sizeof wanted : sizeof wanted - sizeof wanted.scopes;
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    if (ruleset < 0) return -1;
    const int status = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    const int error = errno;
    close(ruleset);
    errno = error;
    return status;
}

int mam_has_landlock(void) {
    return syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION) > 0;
}
