// Mounting by descriptor, for which the C library has no functions. All return -1 and set errno on
// failure.
#pragma once
#include <stdint.h>

/// fsopen(2) to fsmount(2): a detached mount of an opened /dev/fuse; returns its descriptor.
/// Without set-user-ID bits and devices, as fusermount3 does. `flags`: from the enumeration below.
int mam_new_fuse_mount(int device, const char *source, const char *subtype, int flags);
enum {
    MAM_ALLOW_OTHER = 1,
    MAM_READ_ONLY = 2,
    MAM_NO_PROGRAMS = 4,
    MAM_NOATIME = 8,
    MAM_STRICTATIME = 16,
    MAM_NODIRATIME = 32
};

/// move_mount(2) of a new mount to the opened directory `target`, which may be an O_PATH
/// descriptor. `is_beneath`: `target` is the root of a mount, and the new one goes below it
/// (MOVE_MOUNT_BENEATH; EINVAL before Linux 6.5).
int mam_attach_mount(int mount, int target, int is_beneath);
