#define _GNU_SOURCE
#include "attributes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

intptr_t mam_getxattr(const char *path, const char *name, void *value, size_t count) {
    return getxattr(path, name, value, count);
}

int mam_setxattr(const char *path, const char *name, const void *value, size_t count, int flags) {
    return setxattr(path, name, value, count, flags);
}

int mam_removexattr(const char *path, const char *name) { return removexattr(path, name); }

intptr_t mam_listxattr(const char *path, char *names, size_t count) {
    return listxattr(path, names, count);
}

intptr_t mam_fgetxattr(int descriptor, const char *name, void *value, size_t count) {
    return fgetxattr(descriptor, name, value, count);
}

int mam_fsetxattr(int descriptor, const char *name, const void *value, size_t count, int flags) {
    return fsetxattr(descriptor, name, value, count, flags);
}

int mam_fremovexattr(int descriptor, const char *name) { return fremovexattr(descriptor, name); }

// getxattrat(2) and the size of its argument, missing in Debian 12's headers. The same on x86-64
// and arm64.
enum { GETXATTRAT = 464 };
struct attribute_arguments {
    _Alignas(8) uint64_t value;
    uint32_t size, flags;
};

intptr_t mam_getxattrat(int directory, const char *path, const char *name, void *value,
                        size_t count) {
    static atomic_bool is_missing;
    if (atomic_load_explicit(&is_missing, memory_order_relaxed)) {
        errno = ENOSYS;
        return -1;
    }
    struct attribute_arguments arguments = {(uintptr_t)value, (uint32_t)count, 0};
    const intptr_t found = syscall(GETXATTRAT, directory, path, 0, name, &arguments,
                                   sizeof arguments);
    if (found < 0 && errno == ENOSYS)
        atomic_store_explicit(&is_missing, true, memory_order_relaxed);
    return found;
}

int mam_is_immutable(int directory) {
    int flags = 0;
    if (ioctl(directory, FS_IOC_GETFLAGS, &flags)) return -1;
    return (flags & FS_IMMUTABLE_FL) != 0;
}

int mam_set_immutable(int directory, int is_immutable) {
    int flags = 0;
    if (ioctl(directory, FS_IOC_GETFLAGS, &flags)) return -1;
    int wanted = is_immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    return wanted == flags ? 0 : ioctl(directory, FS_IOC_SETFLAGS, &wanted);
}
