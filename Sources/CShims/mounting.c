#define _GNU_SOURCE
#include "mounting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

static int set(int context, const char *key, const char *value) {
    return fsconfig(context, value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, key, value, 0);
}

static int configure(int context, int device, const char *source, const char *subtype, int flags) {
    char number[16], user[16], group[16];
    snprintf(number, sizeof number, "%d", device);
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    snprintf(group, sizeof group, "%u", (unsigned)getegid());
    // S_IFDIR, in octal.
    if (set(context, "source", source) || set(context, "subtype", subtype) ||
        set(context, "fd", number) || set(context, "rootmode", "40000") ||
        set(context, "user_id", user) || set(context, "group_id", group) ||
        set(context, "default_permissions", NULL))
        return -1;
    if ((flags & MAM_ALLOW_OTHER) && set(context, "allow_other", NULL)) return -1;
    if ((flags & MAM_READ_ONLY) && set(context, "ro", NULL)) return -1;
    return fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

int mam_new_fuse_mount(int device, const char *source, const char *subtype, int flags) {
    int context = fsopen("fuse", FSOPEN_CLOEXEC);
    if (context < 0) return -1;
    unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (flags & MAM_READ_ONLY) attributes |= MOUNT_ATTR_RDONLY;
    if (flags & MAM_NO_PROGRAMS) attributes |= MOUNT_ATTR_NOEXEC;
    if (flags & MAM_NOATIME) attributes |= MOUNT_ATTR_NOATIME;
    if (flags & MAM_STRICTATIME) attributes |= MOUNT_ATTR_STRICTATIME;
    if (flags & MAM_NODIRATIME) attributes |= MOUNT_ATTR_NODIRATIME;
    int mount = configure(context, device, source, subtype, flags)
                    ? -1
                    : fsmount(context, FSMOUNT_CLOEXEC, attributes);
    int error = errno;
    close(context);
    errno = error;
    return mount;
}

// Missing in Debian 12's <sys/mount.h>.
enum { BENEATH = 0x200 };

int mam_attach_mount(int mount, int target, int is_beneath) {
    const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    return move_mount(mount, "", target, "", flags | (is_beneath ? BENEATH : 0));
}
