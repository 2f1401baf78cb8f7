// Variadic and raw system calls with fixed signatures. All return -1 and set errno on failure.
//
// Includes only <stdint.h>: with <sys/types.h>, Swift would take this module instead of Glibc for
// the owner of mode_t and similar types.
#pragma once
#include <linux/magic.h>
#include <stdint.h>

int mam_openat(int directory, const char *path, int flags, uint32_t mode);

/// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV:
/// the path cannot leave `directory` or cross mounts.
int mam_open_beneath(int directory, const char *path, int flags, uint32_t mode);

/// fallocate(2); flags as below.
int mam_fallocate(int descriptor, int flags, int64_t offset, int64_t count);
enum { MAM_KEEP_SIZE = 0x01, MAM_PUNCH_HOLE = 0x02, MAM_ZERO_RANGE = 0x10 };

/// AT_EMPTY_PATH.
enum { MAM_EMPTY_PATH = 0x1000 };

/// RENAME_WHITEOUT, which glibc defines only with _GNU_SOURCE.
enum { MAM_RENAME_WHITEOUT = 4 };

int mam_renameat2(int from_directory, const char *from, int to_directory, const char *to,
                  unsigned int flags);

/// `f_type` of statfs(2), a magic number in <linux/magic.h>, or -1 and errno.
int64_t mam_file_system_kind(int descriptor);
int64_t mam_file_system_kind_at(const char *path);

/// ST_NOATIME, ST_NODIRATIME and ST_RELATIME, which glibc defines only with _GNU_SOURCE.
enum {
    MAM_NO_ACCESS_TIME = 1024,
    MAM_NO_DIRECTORY_ACCESS_TIME = 2048,
    MAM_RELATIVE_ACCESS_TIME = 4096
};

/// fcntl(2) with F_SETFL.
int mam_set_status_flags(int descriptor, int flags);

/// pidfd_open(2); EINVAL or ENOENT for a thread other than its process's first.
int mam_open_process(int32_t process);

/// syncfs(2): syncs the file system of a descriptor.
int mam_sync_file_system(int descriptor);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE, to the end of the file.
void mam_start_write_back(int descriptor, int64_t offset);

/// Whether fcntl(F_GETFL) includes O_APPEND: 1 or 0; -1 and errno on failure.
int mam_is_append_only(int descriptor);

/// Disables core dumps and tracing by others; a core that is written nevertheless contains no
/// memory.
int mam_forbid_core_dumps(void);

/// PR_GET_DUMPABLE.
int mam_is_dumpable(void);

/// Waits until a descriptor is readable, or for that many seconds of CLOCK_BOOTTIME. poll(2) does
/// not count suspended time, but what becomes due during a suspend has to run right after it.
void mam_wait_readable(int descriptor, int64_t seconds);

/// eventfd(2), close-on-exec and non-blocking.
int mam_event_descriptor(void);

/// sem_clockwait(3) on a `sem_t`, until that many nanoseconds of CLOCK_MONOTONIC.
int mam_wait_until(void *semaphore, int64_t nanoseconds);

/// cachestat(2) of a whole file: the number of cached pages; -1 and errno ENOSYS before Linux 6.5.
int64_t mam_cached_pages(int descriptor);

/// statx(2) of a file on a FUSE mount, also O_PATH: the size in the kernel's cache, without a
/// request to the daemon.
int64_t mam_cached_size(int descriptor);

/// statx(2) of any file, also O_PATH: its creation time in nanoseconds since 1970; 0 where the file
/// system does not know. No call sets that time. -1 and errno on failure.
int64_t mam_birth_time(int descriptor);

/// What the kernel remembers of a file and its descriptor.
struct mam_cached_facts {
    uint64_t device, inode, mount_id, size;
    uint32_t mode, uid;
    /// STATX_ATTR_MOUNT_ROOT
    int is_mount_root;
};

/// statx(2) of any file, also O_PATH, from the kernel's cache, without a request to the file
/// system's server. 0 or -1.
int mam_cached_facts(int descriptor, struct mam_cached_facts *facts);

/// statx(2) of any file, also O_PATH, past the kernel's cache: whether it has that number and a
/// name. A program's file system may remove a file whose number the kernel still knows.
int mam_is_still(int descriptor, uint64_t inode);

/// open_by_handle_at(2) of a cached FUSE inode, by the number and generation that the daemon gave
/// it. Needs CAP_DAC_READ_SEARCH.
int mam_open_fuse_node(int mount, uint64_t node, uint32_t generation, int flags);

/// The number that a FUSE daemon gave the file of a descriptor, also O_PATH; 0 if that is unknown.
/// Without a request to the daemon.
uint64_t mam_fuse_node(int descriptor);

/// makedev(3).
uint64_t mam_device_number(unsigned major, unsigned minor);

/// pthread_rwlock_clockwrlock(3) on a `pthread_rwlock_t`, until that many nanoseconds of
/// CLOCK_MONOTONIC. Returns 0 or an error number.
int mam_lock_until(void *lock, int64_t nanoseconds);

/// accept4(2) with SOCK_CLOEXEC, without the client's address.
int mam_accept(int listener);

/// pipe2(2) with O_CLOEXEC: the read end, then the write end.
int mam_pipe(int ends[2]);

/// memfd_create(2), close-on-exec: an empty unnamed file in memory.
int mam_memory_file(void);

/// dup3(2) with O_CLOEXEC: `target` becomes a duplicate of `descriptor`.
int mam_redirect(int descriptor, int target);

/// gettid(2).
int32_t mam_thread_id(void);

/// sched_getcpu(3), which makes no system call; 0 if it fails.
uint32_t mam_processor(void);

/// Lets this thread run on all processors that the process's first thread may use, instead of those
/// inherited from the thread that started it.
void mam_run_anywhere(void);

/// prctl(PR_SET_NAME): truncates to 15 bytes.
void mam_name_thread(const char *name);
