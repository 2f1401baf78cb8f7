#define _GNU_SOURCE
#include "containment.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Not CAP_DAC_READ_SEARCH, with which files are opened by their handles.
static const uint32_t kept = 1 << CAP_CHOWN | 1 << CAP_DAC_OVERRIDE | 1 << CAP_FOWNER |
                             1 << CAP_FSETID | 1 << CAP_KILL;

int mam_drop_capabilities(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        const int is_kept = capability < 32 && kept >> capability & 1;
        // Only root has them to give up.
        if (!is_kept && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM)
            return -1;
    }
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0) return -1;
    for (int half = 0; half < 2; half++) {
        const uint32_t mask = half == 0 ? kept : 0;
        sets[half].effective &= mask;
        sets[half].permitted &= mask;
        sets[half].inheritable = 0;
    }
    if (syscall(SYS_capset, &header, sets) != 0) return -1;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}
