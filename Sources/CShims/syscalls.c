#define _GNU_SOURCE
#include "syscalls.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int mam_redirect(int descriptor, int target) { return dup3(descriptor, target, O_CLOEXEC); }

int mam_openat(int directory, const char *path, int flags, uint32_t mode) {
    return openat(directory, path, flags, mode);
}

int mam_open_beneath(int directory, const char *path, int flags, uint32_t mode) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned int)flags,
        .mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int mam_fallocate(int descriptor, int flags, int64_t offset, int64_t count) {
    return fallocate(descriptor, flags, offset, count);
}

_Static_assert(MAM_KEEP_SIZE == FALLOC_FL_KEEP_SIZE && MAM_PUNCH_HOLE == FALLOC_FL_PUNCH_HOLE &&
                   MAM_ZERO_RANGE == FALLOC_FL_ZERO_RANGE && MAM_EMPTY_PATH == AT_EMPTY_PATH &&
                   MAM_RENAME_WHITEOUT == RENAME_WHITEOUT,
               "the header's numbers are the kernel's");

int mam_renameat2(int from_directory, const char *from, int to_directory, const char *to,
                  unsigned int flags) {
    return renameat2(from_directory, from, to_directory, to, flags);
}

int64_t mam_file_system_kind(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 ? (int64_t)system.f_type : -1;
}

int64_t mam_file_system_kind_at(const char *path) {
    struct statfs system;
    return statfs(path, &system) == 0 ? (int64_t)system.f_type : -1;
}

_Static_assert(MAM_NO_ACCESS_TIME == ST_NOATIME && MAM_NO_DIRECTORY_ACCESS_TIME == ST_NODIRATIME &&
                   MAM_RELATIVE_ACCESS_TIME == ST_RELATIME,
               "the header's numbers are the kernel's");

int mam_set_status_flags(int descriptor, int flags) { return fcntl(descriptor, F_SETFL, flags); }

int mam_open_process(int32_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int mam_sync_file_system(int descriptor) { return syncfs(descriptor); }

void mam_start_write_back(int descriptor, int64_t offset) {
    // Length 0: to the end.
    sync_file_range(descriptor, offset, 0, SYNC_FILE_RANGE_WRITE);
}

int mam_is_append_only(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : (flags & O_APPEND) != 0;
}

// If a core is written nevertheless, it contains no memory: no type of mapping is selected
// (core(5)).
static void keep_memory_out_of_cores(void) {
    const int filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);
    if (filter < 0) return;
    // Two other things stand in the way of a core if this fails.
    (void)!write(filter, "0", 1);
    close(filter);
}

// The limit is 1, not 0: the kernel starts a program in core_pattern at any limit except 1.
int mam_forbid_core_dumps(void) {
    const struct rlimit smallest = {1, 1}, none = {0, 0};
    // First, because an undumpable process of an ordinary user cannot write its own files in /proc.
    keep_memory_out_of_cores();
    if (setrlimit(RLIMIT_CORE, &smallest) != 0 && setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int mam_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int mam_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int mam_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void mam_wait_readable(int descriptor, int64_t seconds) {
    const struct itimerspec time = {.it_value.tv_sec = seconds};
    const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    struct pollfd waiting[] = {{.fd = descriptor, .events = POLLIN},
                               {.fd = timer, .events = POLLIN}};
    if (timer >= 0) timerfd_settime(timer, 0, &time, NULL);
    // poll(2) ignores a negative descriptor.
    poll(waiting, 2, (int)(seconds * 1000));
    if (timer >= 0) close(timer);
}

int mam_memory_file(void) { return memfd_create("mamd", MFD_CLOEXEC); }

int mam_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static struct timespec from_nanoseconds(int64_t nanoseconds) {
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return time;
}

int mam_wait_until(void *semaphore, int64_t nanoseconds) {
    const struct timespec time = from_nanoseconds(nanoseconds);
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &time);
}

int mam_lock_until(void *lock, int64_t nanoseconds) {
    const struct timespec time = from_nanoseconds(nanoseconds);
    return pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &time);
}

// Missing in Debian 12's <linux/mman.h>.
enum { CACHESTAT = 451 };
struct cachestat_range {
    uint64_t offset, length;
};
struct cachestat {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

int64_t mam_cached_pages(int descriptor) {
    // Length 0: to the end.
    struct cachestat_range whole = {0, 0};
    struct cachestat found;
    if (syscall(CACHESTAT, descriptor, &whole, &found, 0) != 0) return -1;
    return (int64_t)found.cached;
}

int64_t mam_cached_size(int descriptor) {
    struct statx found;
    const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    if (statx(descriptor, "", flags, STATX_SIZE, &found) != 0) return -1;
    return (int64_t)found.stx_size;
}

int64_t mam_birth_time(int descriptor) {
    struct statx found;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &found) != 0) return -1;
    if (!(found.stx_mask & STATX_BTIME) || found.stx_btime.tv_sec < 0) return 0;
    const uint64_t seconds = (uint64_t)found.stx_btime.tv_sec;
    return (int64_t)((seconds * 1000000000u + found.stx_btime.tv_nsec) & INT64_MAX);
}

uint64_t mam_device_number(unsigned major, unsigned minor) { return makedev(major, minor); }

int mam_cached_facts(int descriptor, struct mam_cached_facts *facts) {
    struct statx found;
    const unsigned mask = STATX_INO | STATX_TYPE | STATX_MODE | STATX_UID | STATX_SIZE |
                          STATX_MNT_ID;
    if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, &found) != 0) return -1;
    facts->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    facts->inode = found.stx_ino;
    facts->size = found.stx_size;
    facts->mode = found.stx_mode;
    facts->uid = found.stx_uid;
    facts->mount_id = found.stx_mnt_id;
    facts->is_mount_root = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return 0;
}

int mam_is_still(int descriptor, uint64_t inode) {
    struct statx found;
    const int flags = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC;
    if (statx(descriptor, "", flags, STATX_INO | STATX_NLINK, &found) != 0) return 0;
    return found.stx_ino == inode && found.stx_nlink > 0;
}

int32_t mam_thread_id(void) { return (int32_t)gettid(); }

// FILEID_INO64_GEN of <linux/exportfs.h>, as fuse_encode_fh() makes it.
enum { INO64_GEN = 0x81, WORDS = 3 };

union fuse_handle {
    struct file_handle handle;
    char room[sizeof(struct file_handle) + WORDS * sizeof(uint32_t)];
};

int mam_open_fuse_node(int mount, uint64_t node, uint32_t generation, int flags) {
    union fuse_handle found = {
        .handle = {.handle_bytes = WORDS * sizeof(uint32_t), .handle_type = INO64_GEN}};
    const uint32_t words[WORDS] = {(uint32_t)(node >> 32), (uint32_t)node, generation};
    memcpy(found.handle.f_handle, words, sizeof words);
    return open_by_handle_at(mount, &found.handle, flags);
}

uint64_t mam_fuse_node(int descriptor) {
    // AT_HANDLE_FID of <linux/fcntl.h>, which a mount without file handles answers, too.
    enum { HANDLE_FID = 0x200 };
    union fuse_handle found = {.handle = {.handle_bytes = WORDS * sizeof(uint32_t)}};
    uint32_t words[WORDS];
    int mount;
    if (name_to_handle_at(descriptor, "", &found.handle, &mount, AT_EMPTY_PATH | HANDLE_FID) != 0 &&
        name_to_handle_at(descriptor, "", &found.handle, &mount, AT_EMPTY_PATH) != 0)
        return 0;
    if (found.handle.handle_type != INO64_GEN) return 0;
    memcpy(words, found.handle.f_handle, sizeof words);
    return (uint64_t)words[0] << 32 | words[1];
}

uint32_t mam_processor(void) {
    const int number = sched_getcpu();
    return number < 0 ? 0 : (uint32_t)number;
}

void mam_run_anywhere(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}

void mam_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
