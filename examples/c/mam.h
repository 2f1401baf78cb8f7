// Asks mamd over its socket with the C library alone: docs/PROTOCOL.md. On failure: -1 and errno.
#ifndef MAM_H
#define MAM_H
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct mam_protection {
    char owner[513], object_id[65], state[32];
    int managed;
};

static inline int mam_fail(int number) {
    errno = number;
    return -1;
}

static inline int mam_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return mam_fail(ENAMETOOLONG);
    strcpy(address.sun_path, path);
    int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (daemon < 0 || !connect(daemon, (struct sockaddr *)&address, sizeof address)) return daemon;
    int number = errno;
    return close(daemon), mam_fail(number);
}

// The value of the first member of that name, at any depth; NULL if there is none.
static inline const char *mam_member(const char *json, const char *name) {
    for (const char *at = json; *at; at++) {
        if (*at != '"') continue;
        const char *begin = ++at;
        while (*at && *at != '"') at += *at == '\\' && at[1] ? 2 : 1;
        if (!*at) return NULL;
        const char *next = at + 1 + strspn(at + 1, " \t\r\n");
        size_t count = (size_t)(at - begin);
        if (*next == ':' && strlen(name) == count && !memcmp(begin, name, count))
            return next + 1 + strspn(next + 1, " \t\r\n");
    }
    return NULL;
}

// The text of a value. Refuses \u, which mamd writes for control characters; owners have none.
static inline int mam_text(const char *value, char *text, size_t size) {
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (!value || *value++ != '"') return mam_fail(EBADMSG);
    for (; *value != '"'; value++) {
        char byte = *value;
        if (byte == '\\') {
            const char *name = value[1] ? strchr(names, *++value) : NULL;
            if (!name) return mam_fail(EILSEQ);
            byte = bytes[name - names];
        }
        if (!byte || size < 2) return mam_fail(byte ? EMSGSIZE : EBADMSG);
        *text++ = byte, size--;
    }
    *text = 0;
    return 0;
}

// Sends a call, with an open file or -1, and waits for the reply. EREMOTEIO: the reply is an error.
static inline int mam_call(int daemon, const char *call, int file, char *reply, size_t size) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof file)];
    } control = {0};
    struct iovec part = {(char *)call, strlen(call) + 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.bytes, message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof file), memcpy(CMSG_DATA(rights), &file, sizeof file);
    }
    // A call of these sizes goes into an empty socket whole, or not at all.
    if (sendmsg(daemon, &message, MSG_NOSIGNAL) != (ssize_t)part.iov_len) return -1;
    for (size_t used = 0; used < size;) {
        ssize_t count = read(daemon, reply + used, size - used);
        if (count <= 0) return count ? -1 : mam_fail(ECONNRESET);
        used += (size_t)count;
        if (!reply[used - 1]) return mam_member(reply, "error") ? mam_fail(EREMOTEIO) : 0;
    }
    return mam_fail(EMSGSIZE);
}

// Whose an open file is (O_PATH will do in the mount), and whether it can be read.
static inline int mam_protection_info(int daemon, int file, struct mam_protection *info) {
    char reply[16384];
    const char *call =
        "{\"method\":\"io.mamd.Workspace.ProtectionInfo\","
        "\"parameters\":{\"fileDescriptor\":0}}";
    if (mam_call(daemon, call, file, reply, sizeof reply)) return -1;
    const char *managed = mam_member(reply, "managed");
    info->managed = managed && *managed == 't';
    if (mam_text(mam_member(reply, "owner"), info->owner, sizeof info->owner)) return -1;
    if (mam_text(mam_member(reply, "ownerObjectId"), info->object_id, sizeof info->object_id))
        return -1;
    return mam_text(mam_member(reply, "state"), info->state, sizeof info->state);
}

// Locks all of the caller's accounts; nothing of theirs is readable when this returns.
static inline int mam_lock(int daemon) {
    char reply[65536];
    const char *call = "{\"method\":\"io.mamd.Workspace.Lock\",\"parameters\":{\"now\":true}}";
    return mam_call(daemon, call, -1, reply, sizeof reply);
}
#endif
