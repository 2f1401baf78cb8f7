// The kernel gives the number of a file system to the next one that is mounted, but tells who
// watches a file of the first one of its end before. A watch does not keep it mounted.
#include "containment.h"

#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

int mam_watch_workspace(const char *workspace) {
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch < 0 || inotify_add_watch(watch, workspace, IN_UNMOUNT) >= 0) return watch;
    const int error = errno;
    close(watch);
    errno = error;
    return -1;
}

int mam_has_ended(const struct mam_containment *containment) {
    // Nobody reads the event, so it stays.
    struct pollfd watch = {.fd = containment->watch, .events = POLLIN};
    return containment->watch >= 0 && poll(&watch, 1, 0) > 0;
}
