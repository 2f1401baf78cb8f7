#define _GNU_SOURCE
#include "credentials.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_setfsuid
#error "setfsuid(2) is needed"
#endif

#define BIT(capability) (1ull << (capability))

typedef struct __user_cap_data_struct capability_data[2];

static int get_capabilities(capability_data data) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    return (int)syscall(SYS_capget, &header, data);
}

static int set_capabilities(capability_data data) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    return (int)syscall(SYS_capset, &header, data);
}

// setfsuid(2) takes away what concerns files where the thread leaves uid 0, and gives it back on
// return. All of it stays: the kernel has checked on the mount what the caller may do, and removed
// a set-group-ID bit that it may not set; the caller's other groups are not known here. All threads
// share the permitted set, which is constant once they run, so it is read once.
static int raise_effective_capabilities(void) {
    static _Atomic uint64_t known;
    uint64_t permitted = atomic_load_explicit(&known, memory_order_relaxed);
    if (permitted == 0) {
        capability_data data;
        if (get_capabilities(data) != 0) return -1;
        permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
        atomic_store_explicit(&known, permitted, memory_order_relaxed);
    }
    const uint32_t low = (uint32_t)permitted, high = (uint32_t)(permitted >> 32);
    capability_data data = {{low, low, 0}, {high, high, 0}};
    return set_capabilities(data);
}

// The kernel resets this process-wide flag to fs.suid_dumpable whenever a thread's identity
// changes.
static void stay_undumpable(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int mam_act_as(uint32_t user, uint32_t group) {
    syscall(SYS_setfsgid, group);
    syscall(SYS_setfsuid, user);
    const int status = raise_effective_capabilities();
    const int error = errno;
    stay_undumpable();
    errno = error;
    return status;
}

void mam_act_as_self(void) {
    syscall(SYS_setfsuid, geteuid());
    syscall(SYS_setfsgid, getegid());
    stay_undumpable();
}

// To manage all users' files, mount and unmount without a unit, identify the programs that use a
// file, and lock memory.
static const uint64_t needed = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) |
                               BIT(CAP_FSETID) | BIT(CAP_CHOWN) | BIT(CAP_SETUID) |
                               BIT(CAP_SETGID) | BIT(CAP_MKNOD) | BIT(CAP_SETFCAP) |
                               BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE) | BIT(CAP_IPC_LOCK);

int mam_give_up_capabilities(void) {
    capability_data data;
    if (get_capabilities(data) != 0) return -1;
    for (int word = 0; word < 2; word++) {
        data[word].permitted &= (uint32_t)(needed >> 32 * word);
        data[word].effective &= data[word].permitted;
        data[word].inheritable = 0;
    }
    return set_capabilities(data);
}

// Threads with a common file system context (CLONE_FS) share the umask.
int mam_leave_shared_umask(void) { return unshare(CLONE_FS); }

// Unshares only once, and sets only what is not set yet, to save system calls per creation.
int mam_set_thread_umask(uint32_t mask) {
    // -1: shared with other threads.
    static _Thread_local int64_t own = -1;
    if (own == mask) return 0;
    if (own < 0 && mam_leave_shared_umask() != 0) return -1;
    umask(mask);
    own = mask;
    return 0;
}
