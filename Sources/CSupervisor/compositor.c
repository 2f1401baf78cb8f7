#define _GNU_SOURCE
#include "compositor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static int take_path(struct sockaddr_un *address, const char *path) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

static int close_failed(int descriptor) {
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int mam_display_connect(const char *path) {
    struct sockaddr_un address;
    if (take_path(&address, path) != 0) return -1;
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client < 0) return -1;
    return connect(client, (struct sockaddr *)&address, sizeof address) == 0 ? client
                                                                             : close_failed(client);
}

int mam_display_listen(const char *path, int *place) {
    struct sockaddr_un address;
    if (take_path(&address, path) != 0) return -1;
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0)
        return close_failed(listener);
    *place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (*place < 0) {
        close_failed(listener);
        unlink(path);
        return -1;
    }
    // Nobody could connect before it listens, and nobody finds it then.
    if (unlink(path) == 0 && listen(listener, BACKLOG) == 0) return listener;
    close_failed(*place);
    return close_failed(listener);
}

int mam_display_pair(int *one, int *other) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    *one = pair[0];
    *other = pair[1];
    return 0;
}

// MARK: The compositor's process

// As sd_listen_fds(3) expects them; then Weston's first client and its display.
enum { LISTENER = 3, LIFE, SESSION, UNUSED };

static int place_descriptors(int session, int listener, int life) {
    // Out of the way first: they may have each other's numbers.
    const int high[] = {fcntl(listener, F_DUPFD, UNUSED), fcntl(life, F_DUPFD, UNUSED),
                        fcntl(session, F_DUPFD, UNUSED)};
    for (int i = 0; i < 3; i++)
        if (high[i] < 0 || dup2(high[i], LISTENER + i) < 0) return -1;
    const int null = open("/dev/null", O_RDWR);
    for (int stream = 0; stream <= STDERR_FILENO; stream++)
        if (null < 0 || dup2(null, stream) < 0) return -1;
    return (int)syscall(SYS_close_range, UNUSED, ~0U, 0);
}

static int set_number(const char *name, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return setenv(name, text, 1);
}

static int name_descriptors(void) {
    return set_number("LISTEN_PID", getpid()) | set_number("LISTEN_FDS", 1) |
           set_number("WAYLAND_SERVER_SOCKET", LIFE) | set_number("WAYLAND_SOCKET", SESSION) |
           unsetenv("NOTIFY_SOCKET");
}

// Weston needs no more than its descriptors: a fault in it, which the command may find, leads no
// further. Without a broker connect(2), bind(2) and listen(2) fail.
static int contain(const struct mam_containment *containment) {
    const int rules = mam_landlock_rules(containment);
    if (rules < 0 || mam_landlock_enter(rules) != 0 || mam_drop_capabilities() != 0) return -1;
    close(rules);
    const int broker = mam_filter_calls(containment);
    return broker < 0 ? -1 : close(broker);
}

int mam_compositor_start(char *const argv[], const struct mam_containment *containment, int session,
                         int listener, int life) {
    const pid_t compositor = fork();
    if (compositor != 0) return compositor < 0 ? -1 : 0;
    // The terminal's signals are for the command.
    setsid();
    if (chdir("/") == 0 && place_descriptors(session, listener, life) == 0 &&
        name_descriptors() == 0 && contain(containment) == 0)
        execvp(argv[0], argv);
    _exit(127);
}

// MARK: The first client

int mam_compositor_answers(int life, int milliseconds) {
    // wl_display.sync of object 1, with the new object 2: object, size and opcode, new object.
    enum { SIZE = 12, OPCODE = 0 };
    const uint32_t sync[] = {1, SIZE << 16 | OPCODE, 2};
    // wl_callback.done and wl_display.delete_id.
    uint32_t answer[6];
    if (send(life, sync, sizeof sync, MSG_NOSIGNAL) != sizeof sync) return 0;
    struct pollfd waiting = {.fd = life, .events = POLLIN};
    int ready;
    do ready = poll(&waiting, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && recv(life, answer, sizeof answer, MSG_WAITALL) == sizeof answer;
}
