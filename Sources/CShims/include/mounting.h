// Mounting by descriptors, which the C library has no calls for. All return -1 and set errno on
// failure.
#pragma once
#include <stdint.h>

/// fsopen(2) to fsmount(2): a mount of an opened /dev/fuse that is nowhere yet; its descriptor. No
/// set-user-id bits and no devices, as fusermount3 has it. `flags` are of the enumeration below.
int mam_new_fuse_mount(int device, const char *source, const char *subtype, int flags);
enum {
    MAM_ALLOW_OTHER = 1,
    MAM_READ_ONLY = 2,
    MAM_NO_PROGRAMS = 4,
    MAM_NOATIME = 8,
    MAM_STRICTATIME = 16,
    MAM_NODIRATIME = 32
};

/// move_mount(2) of a new mount to the opened directory `target`, which may be an O_PATH one.
/// `is_beneath`: `target` is the root of a mount, and the new one goes under it
/// (MOVE_MOUNT_BENEATH; EINVAL before Linux 6.5).
int mam_attach_mount(int mount, int target, int is_beneath);
