#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// From <linux/landlock.h>, because the C library's copy may be older.
struct ruleset {
    uint64_t files, network, scopes;
};
enum { ASK_VERSION = 1 };

int32_t mam_landlock_version(void) {
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    return version < 0 ? 0 : (int32_t)version;
}

int mam_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes) {
    const int version = mam_landlock_version();
    const struct ruleset wanted = {files, network, scopes};
    const size_t size = version >= 6   ? sizeof wanted
                        : version >= 4 ? offsetof(struct ruleset, scopes)
                                       : offsetof(struct ruleset, network);
    return (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
}

// Only the existence of a domain matters, not what it forbids. So it restricts what costs file
// operations nothing.
int mam_leave_processes_alone(void) {
    const int version = mam_landlock_version();
    if (version == 0) return -1;
    // Before version 4 there are only rules for files.
    if (version < 4) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const int ruleset = version >= 6 ? mam_landlock_ruleset(0, 0, MAM_LANDLOCK_SIGNALS)
                                     : mam_landlock_ruleset(0, MAM_LANDLOCK_BIND_TCP, 0);
    if (ruleset < 0) return -1;
    const int status = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    const int error = errno;
    close(ruleset);
    errno = error;
    return status;
}
