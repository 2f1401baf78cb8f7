#define _GNU_SOURCE
#include "containment.h"

#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// From <linux/landlock.h>, because the C library's copy may be older.
struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t parent;
};
struct port_rule {
    uint64_t allowed, port;
};
enum { BENEATH_PATH = 1, TCP_PORT = 2 };
enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    REMOVE_DIRECTORY = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_CHARACTER_DEVICE = 1 << 6,
    MAKE_DIRECTORY = 1 << 7,
    MAKE_FILE = 1 << 8,
    MAKE_SOCKET = 1 << 9,
    MAKE_FIFO = 1 << 10,
    MAKE_BLOCK_DEVICE = 1 << 11,
    MAKE_LINK = 1 << 12,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    CONTROL_DEVICE = 1 << 15,
};

// What each version can restrict.
static uint64_t restricted(int version) {
    uint64_t known = READ_FILE | WRITE_FILE | REMOVE_DIRECTORY | REMOVE_FILE |
                     MAKE_CHARACTER_DEVICE | MAKE_DIRECTORY | MAKE_FILE | MAKE_SOCKET | MAKE_FIFO |
                     MAKE_BLOCK_DEVICE | MAKE_LINK;
    if (version >= 2) known |= REFER;
    if (version >= 3) known |= TRUNCATE;
    if (version >= 5) known |= CONTROL_DEVICE;
    return known;
}

// Programs outside could read what is sent through a socket or FIFO in the workspace.
static const uint64_t in_workspace = READ_FILE | WRITE_FILE | REMOVE_DIRECTORY | REMOVE_FILE |
                                     MAKE_DIRECTORY | MAKE_FILE | MAKE_LINK | REFER | TRUNCATE;
static const uint64_t of_devices = READ_FILE | WRITE_FILE | TRUNCATE | CONTROL_DEVICE;

// Takes the place over.
static int allow_at(int rules, int place, uint64_t allowed) {
    if (place < 0) return -1;
    const struct path_rule rule = {allowed, place};
    const int status = (int)syscall(SYS_landlock_add_rule, rules, BENEATH_PATH, &rule, 0);
    const int error = errno;
    close(place);
    errno = error;
    return status;
}

static int allow_beneath(int rules, const char *path, uint64_t allowed) {
    return allow_at(rules, open(path, O_PATH | O_CLOEXEC), allowed);
}

// No program reads what fails to open here. A link leads to a place that is listed itself.
static int allow_reading(int rules, const char *path) {
    const int place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return place < 0 ? 0 : allow_at(rules, place, READ_FILE);
}

// Somebody may have mounted something over it since the daemon told its number.
static int allow_workspace(int rules, const struct mam_containment *containment, uint64_t known) {
    const int root = mam_open_workspace(containment->workspace, containment->file_system);
    if (allow_at(rules, root, in_workspace & known) != 0) return -1;
    errno = ESTALE;
    return mam_has_ended(containment) ? -1 : 0;
}

static int allow_ports(int rules, const struct mam_containment *containment) {
    for (uint32_t i = 0; i < containment->port_count; i++) {
        const struct port_rule rule = {MAM_LANDLOCK_CONNECT_TCP, containment->ports[i]};
        if (syscall(SYS_landlock_add_rule, rules, TCP_PORT, &rule, 0) != 0) return -1;
    }
    return 0;
}

static int fill(int rules, const struct mam_containment *containment, int version) {
    const uint64_t known = restricted(version);
    if (containment->workspace && allow_workspace(rules, containment, known) != 0) return -1;
    for (const char *const *device = containment->devices; *device; device++) {
        // Those that this machine does not have.
        if (allow_beneath(rules, *device, of_devices & known) != 0 && errno != ENOENT) return -1;
    }
    for (const char *const *place = containment->readable; *place; place++)
        if (allow_reading(rules, *place) != 0) return -1;
    const int has_ports = version >= 4 && containment->network == MAM_NETWORK_PORTS;
    return has_ports ? allow_ports(rules, containment) : 0;
}

int mam_landlock_rules(const struct mam_containment *containment) {
    const int version = mam_landlock_version();
    if (version == 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const uint64_t network = containment->network == MAM_NETWORK_ANY
                                 ? 0
                                 : MAM_LANDLOCK_BIND_TCP | MAM_LANDLOCK_CONNECT_TCP;
    const int rules = mam_landlock_ruleset(restricted(version), network,
                                           MAM_LANDLOCK_ABSTRACT_SOCKETS | MAM_LANDLOCK_SIGNALS);
    if (rules < 0 || fill(rules, containment, version) == 0) return rules;
    const int error = errno;
    close(rules);
    errno = error;
    return -1;
}

int mam_landlock_enter(int rules) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}
