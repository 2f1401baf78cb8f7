#include "attributes.h"

#include <sys/xattr.h>

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
