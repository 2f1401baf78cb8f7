#define _GNU_SOURCE
#include "daemon.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

long long now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// The kernel says who listens.
static bool is_trusted(int socket, uid_t user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == user);
}

int daemon_connect(const char *name, uid_t user) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(name) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, name, strlen(name) + 1);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    int problem = 0;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) problem = errno;
    else if (!is_trusted(descriptor, user)) problem = EPERM;
    if (problem == 0) return descriptor;
    (void)close(descriptor);
    errno = problem;
    return -1;
}

static bool await(int socket, short events, long long end) {
    struct pollfd one = {socket, events, 0};
    for (;;) {
        const long long left = end - now();
        const int count = left > 0 ? poll(&one, 1, left > 1000 ? 1000 : (int)left) : 0;
        if (count > 0) return true;
        if (count < 0 && errno != EINTR) return false;
        if (left <= 0) {
            errno = ETIMEDOUT;
            return false;
        }
    }
}

// The descriptors go with the first byte, and one at least is sent.
static bool send_call(int socket, const char *call, const int *descriptors, size_t count,
                      long long end) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    const size_t size = strlen(call) + 1, size_of_all = count * sizeof *descriptors;
    size_t sent = 0;
    while (sent < size) {
        struct iovec part = {(char *)call + sent, size - sent};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (sent == 0 && count > 0) {
            message.msg_control = control.bytes;
            message.msg_controllen = CMSG_SPACE(size_of_all);
            control.header = (struct cmsghdr){CMSG_LEN(size_of_all), SOL_SOCKET, SCM_RIGHTS};
            memcpy(CMSG_DATA(&control.header), descriptors, size_of_all);
        }
        const ssize_t done = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (done > 0) sent += (size_t)done;
        else if (errno != EINTR && (errno != EAGAIN || !await(socket, POLLOUT, end))) return false;
    }
    return true;
}

// Its bytes, without the zero; -1 on failure.
static ssize_t receive(const struct daemon *daemon, long long end) {
    size_t count = 0;
    while (count < MAXIMUM_REPLY) {
        const ssize_t more = recv(daemon->socket, daemon->buffer + count, MAXIMUM_REPLY - count, 0);
        if (more > 0) {
            const char *zero = memchr(daemon->buffer + count, 0, (size_t)more);
            count += (size_t)more;
            // Nothing follows a reply before the next call.
            if (zero && zero + 1 == daemon->buffer + count) return (ssize_t)count - 1;
            if (zero) break;
            if (now() > end) {
                errno = ETIMEDOUT;
                return -1;
            }
        } else if (more == 0) {
            break;
        } else if (errno != EINTR && (errno != EAGAIN || !await(daemon->socket, POLLIN, end))) {
            return -1;
        }
    }
    errno = EPROTO;
    return -1;
}

bool daemon_call(const struct daemon *daemon, const char *call, const int *descriptors,
                 size_t count, uid_t user, long long end, struct reply *reply) {
    if (!send_call(daemon->socket, call, descriptors, count, end)) return false;
    const ssize_t size = receive(daemon, end);
    if (size < 0) return false;
    errno = EPROTO;
    return reply_read(daemon->buffer, (size_t)size, user, reply);
}
