// A message would come too late: another thread of the program could send its own first, as soon as
// the socket is connected. Its address is there before, and the kernel lets nobody change it.
#include "contained.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

// Abstract, so that nothing has to be removed.
static const char prefix[] = "\0mamd-contained-";
// Without the zero at its end.
enum { PREFIX = sizeof prefix - 1, START = offsetof(struct sockaddr_un, sun_path) };

static int has_prefix(const struct sockaddr_un *address, socklen_t length) {
    return length >= START + PREFIX && memcmp(address->sun_path, prefix, PREFIX) == 0;
}

int mam_mark_contained(int socket) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -1;
    // From a connect(2) that failed.
    if (has_prefix(&address, length)) return 0;
    enum { UNIQUE = 16 };
    memcpy(address.sun_path, prefix, PREFIX);
    if (getrandom(address.sun_path + PREFIX, UNIQUE, 0) != UNIQUE) return -1;
    return bind(socket, (const struct sockaddr *)&address, START + PREFIX + UNIQUE);
}

int mam_is_contained(int socket) {
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    return getpeername(socket, (struct sockaddr *)&address, &length) == 0 &&
           has_prefix(&address, length);
}
