// An older kernel's FUSE for a daemon on a newer one. Preloaded where MAMD_TEST_KERNEL is set
// (Tests/Integration/older_kernel.py).
//
// INIT is cut to what that kernel offers, so that the daemon answers within it and the newer kernel
// believes the answer. A notification or a system call that the older kernel does not know is
// refused as it would. Each is noted in the file OLDER_KERNEL_LOG. All else is the newer kernel's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/landlock.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CACHESTAT = 451, SETXATTRAT = 463 };

// As the headers of Debian's linux-libc-dev 6.1.187 and 6.12 have them. `known_codes`: the
// notifications; `first_unknown`: the system call from which on there is none.
static const struct kernel {
    const char *name;
    uint32_t minor, more_flags;
    int known_codes, landlock;
    long first_unknown;
} KERNELS[] = {
    {"6.1", 38, 0x00b, 6, 2, CACHESTAT},
    {"6.12", 41, 0x1ff, 7, 6, SETXATTRAT},
};

static const struct kernel *older_kernel(void) {
    const char *name = getenv("MAMD_TEST_KERNEL");

    for (size_t at = 0; name && at < sizeof KERNELS / sizeof *KERNELS; at++)
        if (__builtin_strcmp(KERNELS[at].name, name) == 0) return &KERNELS[at];
    return NULL;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    const char *path = getenv("OLDER_KERNEL_LOG");
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    va_list arguments;

    if (file < 0) return;
    va_start(arguments, format);
    vdprintf(file, format, arguments);
    va_end(arguments);
    close(file);
}

static bool is_fuse(int file) {
    struct stat facts;

    return fstat(file, &facts) == 0 && S_ISCHR(facts.st_mode) && facts.st_rdev == makedev(10, 229);
}

static void cut_init(const struct kernel *kernel, struct fuse_init_in *init) {
    note("init 7.%u %x -> ", init->minor, init->flags2);
    if (init->minor > kernel->minor) init->minor = kernel->minor;
    init->flags2 &= kernel->more_flags;
    note("7.%u %x\n", init->minor, init->flags2);
}

ssize_t read(int file, void *buffer, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    const struct fuse_in_header *head = buffer;
    const struct kernel *kernel;
    ssize_t found;

    if (!real) real = dlsym(RTLD_NEXT, "read");
    found = real(file, buffer, count);
    if (found < (ssize_t)(sizeof *head + sizeof(struct fuse_init_in)) ||
        head->opcode != FUSE_INIT || head->len != found)
        return found;
    kernel = older_kernel();
    if (kernel && is_fuse(file)) cut_init(kernel, (struct fuse_init_in *)(head + 1));
    return found;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*real)(int, const struct iovec *, int);
    const struct fuse_out_header *head = count > 0 ? parts[0].iov_base : NULL;
    const struct kernel *kernel;

    if (!real) real = dlsym(RTLD_NEXT, "writev");
    // A notification: it answers nothing, and its code is in the place of the error.
    if (!head || parts[0].iov_len < sizeof *head || head->unique != 0 || head->error <= 0 ||
        !is_fuse(file))
        return real(file, parts, count);
    kernel = older_kernel();
    if (!kernel || head->error <= kernel->known_codes) return real(file, parts, count);
    note("notification %d refused\n", head->error);
    errno = EINVAL;
    return -1;
}

long syscall(long number, ...) {
    static long (*real)(long, ...);
    const struct kernel *kernel = older_kernel();
    va_list list;
    long all[6], answer;

    if (!real) real = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int at = 0; at < 6; at++) all[at] = va_arg(list, long);
    va_end(list);
    if (kernel && number >= kernel->first_unknown) {
        note("system call %ld refused\n", number);
        errno = ENOSYS;
        return -1;
    }
    answer = real(number, all[0], all[1], all[2], all[3], all[4], all[5]);
    if (kernel && number == SYS_landlock_create_ruleset &&
        all[2] == LANDLOCK_CREATE_RULESET_VERSION && answer > kernel->landlock)
        return kernel->landlock;
    return answer;
}
