#define _GNU_SOURCE
#include "contained.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// A message with a descriptor, or, as the supervisor reads it, an errno without one.
struct parcel {
    int error;
    struct iovec bytes;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct msghdr message;
};

static void pack(struct parcel *parcel) {
    memset(parcel, 0, sizeof *parcel);
    parcel->bytes = (struct iovec){&parcel->error, sizeof parcel->error};
    parcel->message = (struct msghdr){.msg_iov = &parcel->bytes,
                                      .msg_iovlen = 1,
                                      .msg_control = parcel->control,
                                      .msg_controllen = sizeof parcel->control};
}

static int send_descriptor(int socket, int descriptor) {
    struct parcel parcel;
    pack(&parcel);
    struct cmsghdr *const header = CMSG_FIRSTHDR(&parcel.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int receive_descriptor(int socket) {
    struct parcel parcel;
    pack(&parcel);
    ssize_t got;
    do got = recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&parcel.message);
    int descriptor = -1;
    if (got == sizeof parcel.error && header && header->cmsg_type == SCM_RIGHTS)
        memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    else errno = got == sizeof parcel.error ? parcel.error : ECHILD;
    return descriptor;
}

// The broker opens it under this name, and nobody else can: the socket has no other.
static int name_display(const struct mam_containment *containment) {
    char name[48];
    if (containment->display < 0) return 0;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", getppid(), containment->display);
    return setenv("WAYLAND_DISPLAY", name, 1);
}

int mam_contain_command(int rules, const struct mam_containment *containment, int news) {
    // A domain within the supervisor's: the command can neither trace nor signal the supervisor.
    if (mam_landlock_enter(rules) != 0 || mam_drop_capabilities() != 0) return -1;
    // 1, not 0: the kernel starts a program for a core dump unless the limit is 1, see core(5).
    const struct rlimit core = {1, 1};
    if (setrlimit(RLIMIT_CORE, &core) != 0 || name_display(containment) != 0) return -1;
    const int listener = mam_filter_calls(containment);
    return listener < 0 ? -1 : send_descriptor(news, listener);
}

int mam_serve_command(int news, const struct mam_containment *containment) {
    const int listener = receive_descriptor(news);
    return listener < 0 ? -1 : mam_broker_start(listener, containment);
}
