// A store that opens files by the paths at which it knows them, and exchanges no names: 9p, or a
// program that is a file system. Preloaded into the daemon (Tests/Integration/preloaded.py), for
// there is none to mount here. A descriptor of a file that another one has replaced leads to that
// other one when it is opened anew.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char GONE[] = " (deleted)";

int renameat2(int from, const char *name, int to, const char *new_name, unsigned flags) {
    int (*real)(int, const char *, int, const char *, unsigned) = dlsym(RTLD_NEXT, "renameat2");

    if (flags & RENAME_EXCHANGE) {
        errno = EINVAL;
        return -1;
    }
    return real(from, name, to, new_name, flags);
}

// The path of the file that this link in /proc leads to, if it has lost it and another one has it
// now.
static const char *path_now(int directory, const char *link, char *room) {
    const size_t more = sizeof GONE - 1;
    const ssize_t length = readlinkat(directory, link, room, PATH_MAX - 1);

    if (length <= (ssize_t)more) return link;
    room[length] = 0;
    if (strcmp(room + length - more, GONE) != 0) return link;
    room[length - (ssize_t)more] = 0;
    return access(room, F_OK) == 0 ? room : link;
}

int openat(int directory, const char *path, int flags, ...) {
    int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
    char room[PATH_MAX];
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return real(directory, path_now(directory, path, room), flags, mode);
}
