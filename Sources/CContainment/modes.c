// The caller waits while the broker finds the file, judges it by its descriptor, and makes the call
// on that: nobody can exchange the file in between.
#define _GNU_SOURCE
#include "modes.h"

#include "caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The same on all architectures; libseccomp may not know it yet.
enum { FCHMODAT2 = 452 };

// Where the arguments of a call name a file, and what they ask for. -1: it has no such argument.
struct shape {
    int call, directory, path, flags, added;
    // The mode, or the owner with the group behind it.
    int mode, owner;
};
static const struct shape shapes[MAM_MODE_CALLS] = {
    {SCMP_SYS(chmod), -1, 0, -1, 0, 1, -1},
    {SCMP_SYS(fchmod), 0, -1, -1, 0, 1, -1},
    {SCMP_SYS(fchmodat), 0, 1, -1, 0, 2, -1},
    {FCHMODAT2, 0, 1, 3, 0, 2, -1},
    {SCMP_SYS(chown), -1, 0, -1, 0, -1, 1},
    {SCMP_SYS(lchown), -1, 0, -1, AT_SYMLINK_NOFOLLOW, -1, 1},
    {SCMP_SYS(fchown), 0, -1, -1, 0, -1, 1},
    {SCMP_SYS(fchownat), 0, 1, 4, 0, -1, 2},
};

static const struct shape *shape_of(int call) {
    for (int i = 0; i < MAM_MODE_CALLS; i++)
        if (shapes[i].call == call) return &shapes[i];
    return NULL;
}

int mam_mode_call(int index) { return shapes[index].call; }

int mam_is_mode_call(int call) { return shape_of(call) != NULL; }

// A page at a time: the next one may not be there. 0, or an errno.
static int take_path(pid_t thread, __u64 address, char path[PATH_MAX]) {
    enum { PAGE = 4096 };
    for (size_t got = 0; got < PATH_MAX;) {
        size_t count = PAGE - (address + got) % PAGE;
        if (count > PATH_MAX - got) count = PATH_MAX - got;
        struct iovec here = {path + got, count}, there = {(void *)(address + got), count};
        if (process_vm_readv(thread, &here, 1, &there, 1, 0) != (ssize_t)count)
            return errno == EPERM ? EACCES : EFAULT;
        if (memchr(path + got, 0, count)) return 0;
        got += count;
    }
    return ENAMETOOLONG;
}

// A descriptor of the file; -errno on failure.
static int find(const struct seccomp_notif *asked, const struct shape *shape) {
    const __u64 *arguments = asked->data.args;
    const pid_t thread = (pid_t)asked->pid;
    const int directory = shape->directory < 0 ? AT_FDCWD : (int)arguments[shape->directory];
    if (shape->path < 0) {
        const int copy = mam_copy_descriptor(thread, directory);
        return copy < 0 ? -errno : copy;
    }
    const int flags = shape->added | (shape->flags < 0 ? 0 : (int)arguments[shape->flags]);
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) return -EINVAL;
    char path[PATH_MAX];
    const int error = take_path(thread, arguments[shape->path], path);
    if (error != 0) return -error;
    if (path[0] == 0 && !(flags & AT_EMPTY_PATH)) return -ENOENT;
    const int last = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
    const int found = mam_open_for(thread, directory, path, last);
    return found < 0 ? -errno : found;
}

static int is_in_workspace(dev_t device, const struct mam_containment *containment) {
    return containment->workspace && containment->file_system &&
           mam_is_in(device, containment->file_system) && !mam_has_ended(containment);
}

static int change(int file, mode_t type, const struct seccomp_notif *asked,
                  const struct shape *shape) {
    const __u64 *arguments = asked->data.args;
    if (shape->mode < 0) {
        const uid_t owner = (uid_t)arguments[shape->owner];
        const gid_t group = (gid_t)arguments[shape->owner + 1];
        return fchownat(file, "", owner, group, AT_EMPTY_PATH) == 0 ? 0 : errno;
    }
    if (S_ISLNK(type)) return EOPNOTSUPP;
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return chmod(path, (mode_t)arguments[shape->mode]) == 0 ? 0 : errno;
}

int mam_change_mode(int listener, const struct seccomp_notif *asked,
                    const struct mam_containment *containment) {
    const struct shape *shape = shape_of(asked->data.nr);
    const int file = shape ? find(asked, shape) : -ENOSYS;
    if (file < 0) return -file;
    struct stat found;
    int error = fstat(file, &found) == 0 ? 0 : errno;
    if (error == 0 && !is_in_workspace(found.st_dev, containment)) error = EPERM;
    // The caller may have ended, and its id may be another's by now.
    if (error == 0 && ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) == 0)
        error = change(file, found.st_mode, asked, shape);
    close(file);
    return error;
}
