#define _GNU_SOURCE
#include "messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

intptr_t mam_send(int socket, const void *bytes, size_t count, const int *descriptors,
                  int descriptor_count) {
    if (descriptor_count < 0 || descriptor_count > MAM_MAXIMUM_DESCRIPTORS) {
        errno = EMSGSIZE;
        return -1;
    }
    struct iovec data = {(void *)bytes, count};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * MAM_MAXIMUM_DESCRIPTORS)];
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor_count > 0) {
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)descriptor_count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

intptr_t mam_receive(int socket, void *bytes, size_t count, int *descriptors,
                     int *descriptor_count) {
    struct iovec data = {bytes, count};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * MAM_MAXIMUM_DESCRIPTORS)];
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    *descriptor_count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t carried = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < carried; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (*descriptor_count < MAM_MAXIMUM_DESCRIPTORS) {
                descriptors[(*descriptor_count)++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    if (message.msg_flags & MSG_CTRUNC) {
        while (*descriptor_count > 0) close(descriptors[--*descriptor_count]);
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int mam_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
    struct ucred credentials;
    socklen_t count = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &count) != 0) return -1;
    *process = credentials.pid;
    *user = credentials.uid;
    *group = credentials.gid;
    return 0;
}

int mam_peer_process(int socket) {
    // SO_PEERPIDFD of <asm-generic/socket.h>, missing in older headers.
    enum { PEER_PROCESS = 77 };
    int process = -1;
    socklen_t count = sizeof process;
    return getsockopt(socket, SOL_SOCKET, PEER_PROCESS, &process, &count) == 0 ? process : -1;
}
