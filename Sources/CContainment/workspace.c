// The workspace's file system, known by its number. The kernel gives that to the next one that is
// mounted, but tells who watches a file of the first one of its end before. A watch does not keep
// it mounted.
#define _GNU_SOURCE
#include "containment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int close_failed(int descriptor, int error) {
    close(descriptor);
    errno = error;
    return -1;
}

int mam_is_in(dev_t device, const char *file_system) {
    unsigned major, minor;
    return sscanf(file_system, "%u:%u", &major, &minor) == 2 && device == makedev(major, minor);
}

int mam_open_workspace(const char *workspace, const char *file_system) {
    const int root = open(workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat found;
    if (root < 0) return -1;
    if (fstat(root, &found) != 0) return close_failed(root, errno);
    return mam_is_in(found.st_dev, file_system) ? root : close_failed(root, ESTALE);
}

int mam_watch_workspace(const char *workspace, const char *file_system) {
    const int root = mam_open_workspace(workspace, file_system);
    if (root < 0) return -1;
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", root);
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    const int is_watched = watch >= 0 && inotify_add_watch(watch, path, IN_UNMOUNT) >= 0;
    const int error = errno;
    close(root);
    if (watch < 0) errno = error;
    return is_watched || watch < 0 ? watch : close_failed(watch, error);
}

int mam_has_ended(const struct mam_containment *containment) {
    // Nobody reads the event, so it stays.
    struct pollfd watch = {.fd = containment->watch, .events = POLLIN};
    return containment->watch >= 0 && poll(&watch, 1, 0) > 0;
}
