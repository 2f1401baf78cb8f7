// The extended attribute calls, as in the man pages: no module that Swift knows has <sys/xattr.h>.
#pragma once
#include <stddef.h>
#include <stdint.h>

intptr_t mam_getxattr(const char *path, const char *name, void *value, size_t count);
int mam_setxattr(const char *path, const char *name, const void *value, size_t count, int flags);
int mam_removexattr(const char *path, const char *name);
intptr_t mam_listxattr(const char *path, char *names, size_t count);
intptr_t mam_fgetxattr(int descriptor, const char *name, void *value, size_t count);
int mam_fsetxattr(int descriptor, const char *name, const void *value, size_t count, int flags);
int mam_fremovexattr(int descriptor, const char *name);

/// getxattrat(2) without flags; errno ENOSYS before Linux 6.13. An O_PATH descriptor cannot name
/// the file itself (EBADF).
intptr_t mam_getxattrat(int directory, const char *path, const char *name, void *value,
                        size_t count);

/// FS_IMMUTABLE_FL of a directory that is open for reading: 1 or 0. ENOTTY or EOPNOTSUPP where the
/// file system has no such flag.
int mam_is_immutable(int directory);

/// Sets or clears it; EPERM without CAP_LINUX_IMMUTABLE.
int mam_set_immutable(int directory, int is_immutable);
