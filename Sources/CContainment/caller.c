#define _GNU_SOURCE
#include "caller.h"

#include "descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int close_keeping_errno(int descriptor, int result) {
    const int error = errno;
    close(descriptor);
    errno = error;
    return result;
}

int mam_copy_descriptor(pid_t thread, int number) {
    const pid_t process = mam_number_of(thread, "Tgid: %d");
    // A pidfd stands for a whole process, so for the process of this thread.
    const int whole = process < 0 ? -1 : (int)syscall(SYS_pidfd_open, process, 0);
    if (whole < 0) return -1;
    return close_keeping_errno(whole, (int)syscall(SYS_pidfd_getfd, whole, number, 0));
}

static int open_start(pid_t thread, int directory) {
    if (directory != AT_FDCWD) return mam_copy_descriptor(thread, directory);
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/cwd", thread);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// "/proc/self" is the broker, here.
static int open_of_itself(pid_t thread, const char *rest, int flags) {
    char path[PATH_MAX + 24];
    snprintf(path, sizeof path, "/proc/%d/%s", mam_number_of(thread, "Tgid: %d"), rest);
    return open(path, O_PATH | O_CLOEXEC | flags);
}

int mam_open_for(pid_t thread, int directory, const char *path, int flags) {
    static const char itself[] = "/proc/self/";
    if (strncmp(path, itself, sizeof itself - 1) == 0)
        return open_of_itself(thread, path + sizeof itself - 1, flags);
    if (path[0] == '/') return open(path, O_PATH | O_CLOEXEC | flags);
    const int start = open_start(thread, directory);
    if (start < 0 || path[0] == 0) return start;
    return close_keeping_errno(start, openat(start, path, O_PATH | O_CLOEXEC | flags));
}
