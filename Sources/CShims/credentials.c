#define _GNU_SOURCE
#include "credentials.h"

#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_setfsuid
#error "setfsuid(2) is needed"
#endif

// setfsuid takes CAP_DAC_OVERRIDE, CAP_FOWNER and their like out of the effective set; put back what
// is still permitted. The kernel has checked the caller's permission on the mount already, and has taken the
// set-group-ID bit from the mode where he may not give it: here his other groups are not known.
static int raise_effective_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    const uint32_t kept = (1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH) | (1u << CAP_FOWNER) |
                          (1u << CAP_FSETID);
    data[0].effective |= data[0].permitted & kept;
    return (int)syscall(SYS_capset, &header, data);
}

int mam_act_as(uint32_t user, uint32_t group) {
    syscall(SYS_setfsgid, group);
    syscall(SYS_setfsuid, user);
    return raise_effective_capabilities();
}

void mam_act_as_self(void) {
    syscall(SYS_setfsuid, geteuid());
    syscall(SYS_setfsgid, getegid());
}

// The umask belongs to all threads that share a file system context (CLONE_FS).
int mam_leave_shared_umask(void) { return unshare(CLONE_FS); }

// Once, for that is a system call more at each creation.
int mam_set_thread_umask(uint32_t mask) {
    static _Thread_local bool is_own;
    if (!is_own && mam_leave_shared_umask() != 0) return -1;
    is_own = true;
    umask(mask);
    return 0;
}
