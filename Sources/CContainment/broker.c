// Carries out connect(2), bind(2) and listen(2) for contained programs. The kernel asks before each
// of these calls; the broker reads the address once, decides, and makes the call itself on a copy
// of the socket. So nobody can exchange address or socket between the check and the call. It does
// the same for chmod(2) and chown(2) (modes.c). What has numbers for arguments only is judged
// (judge.c).
//
// The broker is a process in the programs' Landlock domain, so rules for ports hold here too.
#define _GNU_SOURCE
#include "containment.h"

#include "caller.h"
#include "contained.h"
#include "judge.h"
#include "modes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// A connection that takes long holds up one of them, also when its caller has gone; so there may be
// more, and SPARE of them stay. They call may_print() and its like, which are Swift.
enum { SPARE = 4, MOST = 256, STACK = 512 * 1024 };

struct broker {
    int listener;
    const struct mam_containment *containment;
    /// How many threads there are, and wait for a request: forks and signals must not wait for
    /// connections.
    _Atomic int threads, waiting;
};

// The address of a call, and its socket, in the caller and in this process.
struct call {
    __u64 id;
    pid_t thread;
    int which, number, socket, family;
    int backlog;
    socklen_t length;
    struct sockaddr_storage address;
};

// MARK: What the caller has

// 0, or an errno.
static int take_address(struct call *call, const struct seccomp_notif *asked) {
    const __u64 *arguments = asked->data.args;
    call->length = (socklen_t)arguments[2];
    if (call->length < sizeof call->address.ss_family || call->length > sizeof call->address)
        return EINVAL;
    struct iovec here = {&call->address, call->length};
    struct iovec there = {(void *)arguments[1], call->length};
    if (process_vm_readv(call->thread, &here, 1, &there, 1, 0) != (ssize_t)call->length)
        return errno == EPERM ? EACCES : EFAULT;
    return 0;
}

// 0, or an errno.
static int take(struct call *call, const struct seccomp_notif *asked) {
    call->id = asked->id;
    call->thread = (pid_t)asked->pid;
    call->which = asked->data.nr;
    call->number = (int)asked->data.args[0];
    if (call->which == SYS_listen) {
        call->backlog = (int)asked->data.args[1];
    } else {
        const int error = take_address(call, asked);
        if (error != 0) return error;
    }
    call->socket = mam_copy_descriptor(call->thread, call->number);
    if (call->socket < 0) return errno == EBADF ? EBADF : EACCES;
    socklen_t size = sizeof call->family;
    if (getsockopt(call->socket, SOL_SOCKET, SO_DOMAIN, &call->family, &size) != 0) return ENOTSOCK;
    return 0;
}

// MARK: The calls

// The socket that the address names from where the caller is; -1 and errno on failure.
static int find(const struct call *call) {
    char path[sizeof(struct sockaddr_un) + 1] = {0};
    const struct sockaddr_un *address = (const struct sockaddr_un *)&call->address;
    memcpy(path, address->sun_path, call->length - offsetof(struct sockaddr_un, sun_path));
    return mam_open_for(call->thread, AT_FDCWD, path, 0);
}

static int is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static int is_held(const struct stat *found, const struct mam_containment *containment) {
    const int held[] = {containment->display, containment->sound, containment->wayland,
                        containment->x11};
    struct stat socket;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i] >= 0 && fstat(held[i], &socket) == 0 && is_same(found, &socket)) return 1;
    return 0;
}

// Policy may have changed since the last time.
static int is_open_printer(const struct stat *found, const struct mam_containment *containment) {
    struct stat printer;
    return containment->printer && stat(containment->printer, &printer) == 0 &&
           is_same(found, &printer) && containment->may_print(containment);
}

static int is_daemon(const struct stat *found, const struct mam_containment *containment) {
    struct stat daemon;
    return containment->daemon && stat(containment->daemon, &daemon) == 0 &&
           is_same(found, &daemon);
}

// The connection itself tells the daemon that a contained program opened it, even if that program
// has ended by the time of a call. A restarted daemon first learns for whom this process acts.
static int join(const struct call *call, const struct mam_containment *containment) {
    if (!containment->may_join || !containment->may_join(containment)) return ECONNREFUSED;
    return mam_mark_contained(call->socket) == 0 ? 0 : errno;
}

static int connect_found(const struct call *call, int found) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", found);
    return connect(call->socket, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

// Sockets with which programs find out whether they run already, to pass on what they were to open.
// They do not start without; that nobody can reach it, only keeps a second start from noticing.
static const char *const of_single_programs[] = {
    "OSL_PIPE_",       // LibreOffice, in /tmp
    "SingletonSocket", // Chromium, in a directory of its own
};

// Programs outside could connect to a socket that has a name, so none gets any.
static int bind_unix(const struct call *call) {
    char path[sizeof call->address + 1] = {0};
    const socklen_t start = offsetof(struct sockaddr_un, sun_path);
    if (call->length > sizeof(struct sockaddr_un)) return EINVAL;
    if (call->length > start)
        memcpy(path, (const char *)&call->address + start, call->length - start);
    const char *slash = strrchr(path, '/');
    if (!slash) return EACCES;
    for (size_t i = 0; i < sizeof of_single_programs / sizeof *of_single_programs; i++)
        if (strncmp(slash + 1, of_single_programs[i], strlen(of_single_programs[i])) == 0) return 0;
    return EACCES;
}

// Of one without a name, puts one in its place that waits for ever: the kernel would report that
// nobody can connect, again and again.
static int listen_unix(const struct broker *broker, const struct call *call) {
    socklen_t length = sizeof(struct sockaddr_un);
    struct sockaddr_un name;
    if (getsockname(call->socket, (struct sockaddr *)&name, &length) != 0) return errno;
    if (length > offsetof(struct sockaddr_un, sun_path)) return EACCES;
    // The second stays open as long as the broker.
    int pair[2];
    const int mode = fcntl(call->socket, F_GETFL) & O_NONBLOCK ? SOCK_NONBLOCK : 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | mode, 0, pair) != 0) return errno;
    // Nothing can be sent into the first.
    shutdown(pair[1], SHUT_RD);
    struct seccomp_notif_addfd given = {.id = call->id,
                                        .flags = SECCOMP_ADDFD_FLAG_SETFD,
                                        .srcfd = (__u32)pair[0],
                                        .newfd = (__u32)call->number,
                                        .newfd_flags = O_CLOEXEC};
    const int error = ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given) < 0 ? errno : 0;
    close(pair[0]);
    if (error != 0) close(pair[1]);
    return error;
}

static int connect_unix(const struct call *call, const struct mam_containment *containment) {
    const socklen_t start = offsetof(struct sockaddr_un, sun_path);
    const struct sockaddr_un *address = (const struct sockaddr_un *)&call->address;
    if (call->length > sizeof *address) return EINVAL;
    // As if nobody listened: programs then try the socket that has a path.
    if (call->length <= start || address->sun_path[0] == 0) return ECONNREFUSED;
    const int found = find(call);
    if (found < 0) return errno;
    struct stat it;
    int error = fstat(found, &it) == 0 ? 0 : EACCES;
    if (error == 0 && is_daemon(&it, containment)) error = join(call, containment);
    else if (error == 0 && !is_held(&it, containment) && !is_open_printer(&it, containment))
        error = EACCES;
    if (error == 0) error = connect_found(call, found);
    close(found);
    return error;
}

static int call_unix(const struct broker *broker, const struct call *call) {
    switch (call->which) {
    case SYS_bind: return bind_unix(call);
    case SYS_listen: return listen_unix(broker, call);
    default: return connect_unix(call, broker->containment);
    }
}

static int port_of(const struct call *call) {
    if (call->address.ss_family == AF_INET && call->length >= sizeof(struct sockaddr_in))
        return ntohs(((const struct sockaddr_in *)&call->address)->sin_port);
    if (call->address.ss_family == AF_INET6 && call->length >= sizeof(struct sockaddr_in6))
        return ntohs(((const struct sockaddr_in6 *)&call->address)->sin6_port);
    return -1;
}

// Landlock knows ports from version 4 on.
static int is_within_rules(const struct call *call, const struct mam_containment *containment) {
    if (containment->network == MAM_NETWORK_ANY) return 1;
    if (call->which == SYS_listen) return 0;
    const int port = port_of(call);
    for (uint32_t i = 0; call->which == SYS_connect && i < containment->port_count; i++)
        if (containment->ports[i] == port) return 1;
    return 0;
}

// The rules are those of the start, and policy may have become stricter.
static int is_open(const struct call *call, const struct mam_containment *containment) {
    if (call->family == AF_NETLINK) return call->which != SYS_listen;
    if (!is_within_rules(call, containment)) return 0;
    if (call->which != SYS_connect) return 1;
    // Ends a connection, and makes none.
    if (call->address.ss_family == AF_UNSPEC) return 1;
    return containment->may_connect && containment->may_connect(containment, port_of(call));
}

// Once in so many seconds, and nobody waits for another one's turn: that there are some is to be
// known.
static void note_connection(const struct mam_containment *containment) {
    enum { SECONDS = 10 };
    static _Atomic long next;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long due = next;
    if (!containment->note || now.tv_sec < due) return;
    if (!atomic_compare_exchange_strong(&next, &due, LONG_MAX)) return;
    containment->note(containment, "connect");
    next = now.tv_sec + SECONDS;
}

static int call_other(const struct call *call, const struct mam_containment *containment) {
    if (!is_open(call, containment)) {
        if (call->which == SYS_connect) note_connection(containment);
        return EACCES;
    }
    const struct sockaddr *address = (const struct sockaddr *)&call->address;
    const int status = call->which == SYS_listen ? listen(call->socket, call->backlog)
                       : call->which == SYS_bind ? bind(call->socket, address, call->length)
                                                 : connect(call->socket, address, call->length);
    return status == 0 ? 0 : errno;
}

static int carry_out(const struct broker *broker, const struct call *call) {
    // Whatever the address says: the socket cannot be exchanged any more.
    return call->family == AF_UNIX ? call_unix(broker, call)
                                   : call_other(call, broker->containment);
}

// MARK: Requests

static int carry_out_asked(const struct broker *broker, const struct seccomp_notif *asked) {
    struct call call = {.socket = -1};
    int error = take(&call, asked);
    // The caller may have ended, and its id may be another's by now.
    if (error == 0 && ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) == 0)
        error = carry_out(broker, &call);
    if (call.socket >= 0) close(call.socket);
    return error;
}

static int answer(const struct broker *broker, const struct seccomp_notif *asked) {
    struct seccomp_notif_resp reply = {.id = asked->id};
    if (mam_is_judged(asked->data.nr)) {
        reply.error = -mam_judge(asked, broker->containment);
        if (reply.error == 0) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else if (mam_is_mode_call(asked->data.nr)) {
        reply.error = -mam_change_mode(broker->listener, asked, broker->containment);
    } else reply.error = -carry_out_asked(broker, asked);
    // ENOENT: the caller has gone.
    return ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) == 0 || errno == ENOENT;
}

static int add_thread(struct broker *broker);

// Takes the next request, if there is one; 0 when there will be no more.
static int serve_next(struct broker *broker) {
    struct pollfd waiting = {.fd = broker->listener, .events = POLLIN};
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return 0;
    // The last of them has ended.
    if (waiting.revents & POLLHUP) return 0;
    struct seccomp_notif asked = {0};
    // ENOENT: another thread took it, or the caller has gone.
    if (ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
        return errno == EINTR || errno == ENOENT || errno == EAGAIN;
    if (atomic_fetch_sub(&broker->waiting, 1) == 1) add_thread(broker);
    const int is_answered = answer(broker, &asked);
    atomic_fetch_add(&broker->waiting, 1);
    return is_answered;
}

// Whether this thread has stopped waiting, as one of more than are kept.
static int leaves(struct broker *broker) {
    int waiting = atomic_load(&broker->waiting);
    return waiting > SPARE &&
           atomic_compare_exchange_strong(&broker->waiting, &waiting, waiting - 1);
}

static void *serve(void *argument) {
    struct broker *broker = argument;
    while (serve_next(broker) && !leaves(broker)) continue;
    atomic_fetch_sub(&broker->threads, 1);
    return NULL;
}

// 0, or an errno.
static int add_thread(struct broker *broker) {
    if (atomic_fetch_add(&broker->threads, 1) >= MOST) {
        atomic_fetch_sub(&broker->threads, 1);
        return EAGAIN;
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_t thread;
    atomic_fetch_add(&broker->waiting, 1);
    const int status = pthread_create(&thread, &attributes, serve, broker);
    pthread_attr_destroy(&attributes);
    if (status == 0) return 0;
    atomic_fetch_sub(&broker->waiting, 1);
    atomic_fetch_sub(&broker->threads, 1);
    return status;
}

int mam_broker_start(int listener, const struct mam_containment *containment) {
    struct broker *broker = malloc(sizeof *broker);
    if (!broker) return -1;
    *broker = (struct broker){listener, containment, 0, 0};
    int status = 0;
    for (int i = 0; i < SPARE && status == 0; i++) status = add_thread(broker);
    // Those that have begun use the broker.
    errno = status;
    return status == 0 ? 0 : -1;
}
