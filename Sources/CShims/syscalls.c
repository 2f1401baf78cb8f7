#define _GNU_SOURCE
#include "syscalls.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int mam_openat(int directory, const char *path, int flags, uint32_t mode) {
    return openat(directory, path, flags, mode);
}

int mam_open_beneath(int directory, const char *path, int flags, uint32_t mode) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned int)flags,
        .mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int mam_fallocate(int descriptor, int flags, int64_t offset, int64_t count) {
    return fallocate(descriptor, flags, offset, count);
}

_Static_assert(MAM_KEEP_SIZE == FALLOC_FL_KEEP_SIZE && MAM_PUNCH_HOLE == FALLOC_FL_PUNCH_HOLE &&
                   MAM_ZERO_RANGE == FALLOC_FL_ZERO_RANGE && MAM_EMPTY_PATH == AT_EMPTY_PATH,
               "the header's numbers are the kernel's");

int mam_renameat2(int from_directory, const char *from, int to_directory, const char *to,
                  unsigned int flags) {
    return renameat2(from_directory, from, to_directory, to, flags);
}

int mam_is_fuse(const char *path) {
    struct statfs system;
    return statfs(path, &system) == 0 && system.f_type == FUSE_SUPER_MAGIC;
}

int mam_is_append_only(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : (flags & O_APPEND) != 0;
}

int mam_forbid_core_dumps(void) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void mam_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
