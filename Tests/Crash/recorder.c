// A file system that shows a directory as it is, writes down every change, and fails when it is
// told to.
//
//     recorder SOURCE MOUNTPOINT LOG
//
// Stays in the foreground until it is unmounted; root only. SIGTERM, for when another name space
// still has the mount, ends it as well. One thread: the order in the log is the order in which
// things happened. Nothing is cached on the way: a write(2) on the mount is a record when it
// returns.
//
// A driver speaks to it by extended attributes of the mount's root:
//
//     set user.recorder.mark TEXT
//         a record of its own
//     set user.recorder.fault "KINDS NTH TIMES ERROR"
//         The NTH call from now on that is one of KINDS fails, and TIMES - 1 after it. KINDS: names
//         with commas, or `any`. ERROR 0: a write writes half of its bytes and says so; other calls
//         succeed.
//     get user.recorder.calls
//         how many calls of those kinds there were since then
//
// A record: a head of 48 bytes (kind, length of what follows, inode, four numbers), then names,
// each with its zero, and bytes. Inodes are numbered in the order in which they were seen first,
// the root is 1, and no number is used twice.
//
//     MKNOD, MKDIR, SYMLINK     inode, parent, mode, user, group; name [target]
//     LINK                      inode, parent; name
//     RENAME                    -, parent, new parent, flags; name, new name
//     UNLINK, RMDIR             -, parent; name
//     WRITE                     inode, offset; bytes
//     TRUNCATE                  inode, size
//     FALLOCATE                 inode, mode, offset, length
//     CHMOD, CHOWN              inode, mode | user, group
//     TIMES                     inode, seconds, nanoseconds of the last change
//     SETXATTR, REMOVEXATTR     inode; name [value]
//     FSYNC, FSYNCDIR           inode, 1 for the data alone
//     MARK                      -; text

#define FUSE_USE_VERSION 34
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

enum kind {
    MKNOD,
    MKDIR,
    SYMLINK,
    LINK,
    RENAME,
    UNLINK,
    RMDIR,
    WRITE,
    TRUNCATE,
    FALLOCATE,
    CHMOD,
    CHOWN,
    TIMES,
    SETXATTR,
    REMOVEXATTR,
    FSYNC,
    FSYNCDIR,
    MARK,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "mknod", "mkdir",    "symlink",     "link",      "rename",   "unlink",
    "rmdir", "write",    "truncate",    "fallocate", "chmod",    "chown",
    "times", "setxattr", "removexattr", "fsync",     "fsyncdir", "mark"};

// The log

struct head {
    uint32_t kind, length;
    uint64_t inode;
    int64_t numbers[4];
};

static FILE *journal;

struct part {
    const void *bytes;
    size_t count;
};
#define NAME(name) (struct part){name, strlen(name) + 1}
#define NO_PART (struct part){0, 0}

static void record(enum kind kind, uint64_t inode, int64_t a, int64_t b, int64_t c, int64_t d,
                   struct part first, struct part second) {
    struct head head = {kind, (uint32_t)(first.count + second.count), inode, {a, b, c, d}};
    fwrite(&head, sizeof head, 1, journal);
    fwrite(first.bytes, 1, first.count, journal);
    fwrite(second.bytes, 1, second.count, journal);
}

// Faults

static struct {
    uint32_t kinds;
    long nth, times, calls;
    int error;
} plan;

// What a call is to fail with: an errno, 0 for no failure, -1 for half a write.
static int fault(enum kind kind) {
    if (!(plan.kinds & 1u << kind)) return 0;
    long call = ++plan.calls;
    if (call < plan.nth || call - plan.nth >= plan.times) return 0;
    if (plan.error) return plan.error;
    return kind == WRITE ? -1 : 0;
}

static int take_plan(const char *text) {
    char kinds[256];
    long nth, times;
    int error;
    if (sscanf(text, "%255s %ld %ld %d", kinds, &nth, &times, &error) != 4) return EINVAL;
    memset(&plan, 0, sizeof plan);
    plan.nth = nth, plan.times = times, plan.error = error;
    for (char *rest = kinds, *word; (word = strsep(&rest, ","));) {
        uint32_t found = strcmp(word, "any") == 0 ? (1u << MARK) - 1 : 0;
        for (int kind = 0; kind < MARK; kind++)
            if (strcmp(word, kind_names[kind]) == 0) found |= 1u << kind;
        if (!found) return EINVAL;
        plan.kinds |= found;
    }
    return 0;
}

// Inodes. None is ever forgotten: its descriptor keeps its number below from being used again.

struct inode {
    struct inode *next;
    int fd;
    dev_t device;
    ino_t number;
    uint64_t id;
};

static struct inode *buckets[4096], root;
static uint64_t last_id = FUSE_ROOT_ID;

static struct inode *inode_of(fuse_ino_t node) {
    return node == FUSE_ROOT_ID ? &root : (struct inode *)node;
}

static const char *path_of(int fd, char path[64]) {
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return path;
}
#define PATH(inode) path_of((inode)->fd, (char[64]){0})

static struct inode *find(int fd, const struct stat *status) {
    struct inode **bucket = &buckets[status->st_ino % 4096];
    for (struct inode *inode = *bucket; inode; inode = inode->next)
        if (inode->number == status->st_ino && inode->device == status->st_dev) {
            close(fd);
            return inode;
        }
    struct inode *inode = malloc(sizeof *inode);
    if (!inode) abort();
    *inode = (struct inode){*bucket, fd, status->st_dev, status->st_ino, ++last_id};
    return *bucket = inode;
}

// No name and no attribute is kept by the kernel: what it asks is answered as it is below.
static int enter(struct inode *parent, const char *name, struct fuse_entry_param *entry) {
    memset(entry, 0, sizeof *entry);
    int fd = openat(parent->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    if (fstatat(fd, "", &entry->attr, AT_EMPTY_PATH)) return errno;
    entry->ino = (fuse_ino_t)find(fd, &entry->attr);
    return 0;
}

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
    struct fuse_entry_param entry;
    int error = enter(inode_of(parent), name, &entry);
    error ? fuse_reply_err(request, error) : fuse_reply_entry(request, &entry);
}

static void do_forget(fuse_req_t request, fuse_ino_t node, uint64_t count) {
    (void)node, (void)count;
    fuse_reply_none(request);
}

// Attributes

static void do_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    (void)file;
    struct stat status;
    if (fstatat(inode_of(node)->fd, "", &status, AT_EMPTY_PATH)) fuse_reply_err(request, errno);
    else fuse_reply_attr(request, &status, 0);
}

static int set_size(struct inode *inode, off_t size) {
    int error = fault(TRUNCATE);
    if (error) return error;
    if (truncate(PATH(inode), size)) return errno;
    record(TRUNCATE, inode->id, size, 0, 0, 0, NO_PART, NO_PART);
    return 0;
}

static int set_mode(struct inode *inode, mode_t mode) {
    int error = fault(CHMOD);
    if (error) return error;
    if (chmod(PATH(inode), mode)) return errno;
    record(CHMOD, inode->id, mode, 0, 0, 0, NO_PART, NO_PART);
    return 0;
}

static int set_owner(struct inode *inode, uid_t user, gid_t group) {
    int error = fault(CHOWN);
    if (error) return error;
    if (fchownat(inode->fd, "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) return errno;
    record(CHOWN, inode->id, user, group, 0, 0, NO_PART, NO_PART);
    return 0;
}

static int set_times(struct inode *inode, const struct stat *new, int valid) {
    struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    if (valid & FUSE_SET_ATTR_ATIME) times[0] = new->st_atim;
    if (valid & FUSE_SET_ATTR_ATIME_NOW) times[0].tv_nsec = UTIME_NOW;
    if (valid & FUSE_SET_ATTR_MTIME) times[1] = new->st_mtim;
    if (valid & FUSE_SET_ATTR_MTIME_NOW) times[1].tv_nsec = UTIME_NOW;
    int error = fault(TIMES);
    if (error) return error;
    if (utimensat(inode->fd, "", times, AT_EMPTY_PATH)) return errno;
    record(TIMES, inode->id, times[1].tv_sec, times[1].tv_nsec, 0, 0, NO_PART, NO_PART);
    return 0;
}

static void do_setattr(fuse_req_t request, fuse_ino_t node, struct stat *new, int valid,
                       struct fuse_file_info *file) {
    struct inode *inode = inode_of(node);
    int error = 0;
    if (valid & FUSE_SET_ATTR_MODE) error = set_mode(inode, new->st_mode & 07777);
    if (!error && valid & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
        error = set_owner(inode, valid & FUSE_SET_ATTR_UID ? new->st_uid : (uid_t)-1,
                          valid & FUSE_SET_ATTR_GID ? new->st_gid : (gid_t)-1);
    if (!error && valid & FUSE_SET_ATTR_SIZE) error = set_size(inode, new->st_size);
    if (!error && valid & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME))
        error = set_times(inode, new, valid);
    if (error) fuse_reply_err(request, error);
    else do_getattr(request, node, file);
}

// Names

// Gives what was made its maker's owner, and says so. Undone on failure, which here nobody plans.
static void reply_made(fuse_req_t request, fuse_ino_t node, const char *name, enum kind kind,
                       const char *target) {
    struct inode *parent = inode_of(node);
    const struct fuse_ctx *caller = fuse_req_ctx(request);
    struct fuse_entry_param entry;
    if (fchownat(parent->fd, name, caller->uid, caller->gid, AT_SYMLINK_NOFOLLOW)) abort();
    int error = enter(parent, name, &entry);
    if (error) abort();
    record(kind, ((struct inode *)entry.ino)->id, (int64_t)parent->id, entry.attr.st_mode,
           caller->uid, caller->gid, NAME(name), target ? NAME(target) : NO_PART);
    fuse_reply_entry(request, &entry);
}

static void do_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                     dev_t device) {
    int error = fault(MKNOD);
    if (!error && mknodat(inode_of(parent)->fd, name, mode, device)) error = errno;
    error ? (void)fuse_reply_err(request, error) : reply_made(request, parent, name, MKNOD, NULL);
}

static void do_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode) {
    int error = fault(MKDIR);
    if (!error && mkdirat(inode_of(parent)->fd, name, mode)) error = errno;
    error ? (void)fuse_reply_err(request, error) : reply_made(request, parent, name, MKDIR, NULL);
}

static void do_symlink(fuse_req_t request, const char *target, fuse_ino_t parent,
                       const char *name) {
    int error = fault(SYMLINK);
    if (!error && symlinkat(target, inode_of(parent)->fd, name)) error = errno;
    if (error) fuse_reply_err(request, error);
    else reply_made(request, parent, name, SYMLINK, target);
}

static void do_link(fuse_req_t request, fuse_ino_t node, fuse_ino_t parent, const char *name) {
    struct inode *inode = inode_of(node);
    int error = fault(LINK);
    if (!error && linkat(AT_FDCWD, PATH(inode), inode_of(parent)->fd, name, AT_SYMLINK_FOLLOW))
        error = errno;
    if (error) {
        fuse_reply_err(request, error);
        return;
    }
    record(LINK, inode->id, (int64_t)inode_of(parent)->id, 0, 0, 0, NAME(name), NO_PART);
    do_lookup(request, parent, name);
}

static void do_rename(fuse_req_t request, fuse_ino_t parent, const char *name,
                      fuse_ino_t new_parent, const char *new_name, unsigned flags) {
    struct inode *from = inode_of(parent), *to = inode_of(new_parent);
    int error = fault(RENAME);
    if (!error && renameat2(from->fd, name, to->fd, new_name, flags)) error = errno;
    if (!error)
        record(RENAME, 0, (int64_t)from->id, (int64_t)to->id, flags, 0, NAME(name), NAME(new_name));
    fuse_reply_err(request, error);
}

static void remove_name(fuse_req_t request, fuse_ino_t parent, const char *name, enum kind kind,
                        int flags) {
    int error = fault(kind);
    if (!error && unlinkat(inode_of(parent)->fd, name, flags)) error = errno;
    if (!error) record(kind, 0, (int64_t)inode_of(parent)->id, 0, 0, 0, NAME(name), NO_PART);
    fuse_reply_err(request, error);
}

static void do_unlink(fuse_req_t request, fuse_ino_t parent, const char *name) {
    remove_name(request, parent, name, UNLINK, 0);
}

static void do_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name) {
    remove_name(request, parent, name, RMDIR, AT_REMOVEDIR);
}

static void do_readlink(fuse_req_t request, fuse_ino_t node) {
    char target[PATH_MAX + 1];
    ssize_t count = readlinkat(inode_of(node)->fd, "", target, PATH_MAX);
    if (count < 0) {
        fuse_reply_err(request, errno);
        return;
    }
    target[count] = 0;
    fuse_reply_readlink(request, target);
}

// Files

// O_APPEND stays above: the kernel sends offsets. A cut on opening is a TRUNCATE of its own (see
// do_init).
static int reopen(struct inode *inode, int flags) {
    return open(PATH(inode),
                (flags & ~(O_NOFOLLOW | O_APPEND | O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC);
}

static void do_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    int fd = reopen(inode_of(node), file->flags);
    if (fd < 0) {
        fuse_reply_err(request, errno);
        return;
    }
    file->fh = (uint64_t)fd;
    fuse_reply_open(request, file);
}

static void do_release(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    (void)node;
    close((int)file->fh);
    fuse_reply_err(request, 0);
}

static void do_read(fuse_req_t request, fuse_ino_t node, size_t count, off_t offset,
                    struct fuse_file_info *file) {
    (void)node;
    char *buffer = malloc(count);
    ssize_t done = buffer ? pread((int)file->fh, buffer, count, offset) : -1;
    if (done < 0) fuse_reply_err(request, errno);
    else fuse_reply_buf(request, buffer, (size_t)done);
    free(buffer);
}

static void do_write(fuse_req_t request, fuse_ino_t node, const char *bytes, size_t count,
                     off_t offset, struct fuse_file_info *file) {
    int error = fault(WRITE);
    if (error > 0) {
        fuse_reply_err(request, error);
        return;
    }
    if (error < 0 && count > 1) count /= 2;
    ssize_t done = pwrite((int)file->fh, bytes, count, offset);
    if (done < 0) {
        fuse_reply_err(request, errno);
        return;
    }
    record(WRITE, inode_of(node)->id, offset, 0, 0, 0, (struct part){bytes, (size_t)done}, NO_PART);
    fuse_reply_write(request, (size_t)done);
}

static void do_fallocate(fuse_req_t request, fuse_ino_t node, int mode, off_t offset, off_t count,
                         struct fuse_file_info *file) {
    int error = fault(FALLOCATE);
    if (!error && fallocate((int)file->fh, mode, offset, count)) error = errno;
    if (!error) record(FALLOCATE, inode_of(node)->id, mode, offset, count, 0, NO_PART, NO_PART);
    fuse_reply_err(request, error);
}

static void synchronize(fuse_req_t request, fuse_ino_t node, int data_only, enum kind kind) {
    int error = fault(kind);
    if (!error) record(kind, inode_of(node)->id, data_only, 0, 0, 0, NO_PART, NO_PART);
    fuse_reply_err(request, error);
}

static void do_fsync(fuse_req_t request, fuse_ino_t node, int data_only,
                     struct fuse_file_info *file) {
    (void)file;
    synchronize(request, node, data_only, FSYNC);
}

static void do_fsyncdir(fuse_req_t request, fuse_ino_t node, int data_only,
                        struct fuse_file_info *file) {
    (void)file;
    synchronize(request, node, data_only, FSYNCDIR);
}

static void do_statfs(fuse_req_t request, fuse_ino_t node) {
    (void)node;
    struct statvfs space;
    fstatvfs(root.fd, &space) ? fuse_reply_err(request, errno) : fuse_reply_statfs(request, &space);
}

// Directories

static void do_opendir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    int fd = openat(inode_of(node)->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        fuse_reply_err(request, errno);
        return;
    }
    file->fh = (uint64_t)stream;
    fuse_reply_open(request, file);
}

static void do_readdir(fuse_req_t request, fuse_ino_t node, size_t count, off_t offset,
                       struct fuse_file_info *file) {
    (void)node;
    DIR *stream = (DIR *)file->fh;
    char *buffer = malloc(count);
    if (!buffer) abort();
    size_t used = 0;
    seekdir(stream, offset);
    for (struct dirent *entry; (entry = readdir(stream));) {
        struct stat status = {.st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12};
        size_t needed = fuse_add_direntry(request, buffer + used, count - used, entry->d_name,
                                          &status, entry->d_off);
        if (needed > count - used) break;
        used += needed;
    }
    fuse_reply_buf(request, buffer, used);
    free(buffer);
}

static void do_releasedir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *file) {
    (void)node;
    closedir((DIR *)file->fh);
    fuse_reply_err(request, 0);
}

// Extended attributes, and the driver's words among them

static void do_setxattr(fuse_req_t request, fuse_ino_t node, const char *name, const char *value,
                        size_t count, int flags) {
    struct inode *inode = inode_of(node);
    if (inode == &root && strcmp(name, "user.recorder.mark") == 0) {
        record(MARK, 0, 0, 0, 0, 0, (struct part){value, count}, NO_PART);
        fuse_reply_err(request, 0);
        return;
    }
    if (inode == &root && strcmp(name, "user.recorder.fault") == 0) {
        char text[300] = {0};
        memcpy(text, value, count < sizeof text ? count : sizeof text - 1);
        fuse_reply_err(request, take_plan(text));
        return;
    }
    int error = fault(SETXATTR);
    if (!error && setxattr(PATH(inode), name, value, count, flags)) error = errno;
    if (!error) record(SETXATTR, inode->id, 0, 0, 0, 0, NAME(name), (struct part){value, count});
    fuse_reply_err(request, error);
}

static void do_removexattr(fuse_req_t request, fuse_ino_t node, const char *name) {
    struct inode *inode = inode_of(node);
    int error = fault(REMOVEXATTR);
    if (!error && removexattr(PATH(inode), name)) error = errno;
    if (!error) record(REMOVEXATTR, inode->id, 0, 0, 0, 0, NAME(name), NO_PART);
    fuse_reply_err(request, error);
}

static void reply_bytes(fuse_req_t request, const char *bytes, ssize_t count, size_t room) {
    if (count < 0) fuse_reply_err(request, errno);
    else if (room == 0) fuse_reply_xattr(request, (size_t)count);
    else if ((size_t)count > room) fuse_reply_err(request, ERANGE);
    else fuse_reply_buf(request, bytes, (size_t)count);
}

static void do_getxattr(fuse_req_t request, fuse_ino_t node, const char *name, size_t room) {
    static char value[65536];
    struct inode *inode = inode_of(node);
    ssize_t count;
    if (inode == &root && strcmp(name, "user.recorder.calls") == 0)
        count = snprintf(value, sizeof value, "%ld", plan.calls);
    else count = getxattr(PATH(inode), name, value, sizeof value);
    reply_bytes(request, value, count, room);
}

static void do_listxattr(fuse_req_t request, fuse_ino_t node, size_t room) {
    static char names[65536];
    reply_bytes(request, names, listxattr(PATH(inode_of(node)), names, sizeof names), room);
}

static void do_init(void *data, struct fuse_conn_info *connection) {
    (void)data;
    connection->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
}

static const struct fuse_lowlevel_ops operations = {.init = do_init,
                                                    .lookup = do_lookup,
                                                    .forget = do_forget,
                                                    .getattr = do_getattr,
                                                    .setattr = do_setattr,
                                                    .readlink = do_readlink,
                                                    .mknod = do_mknod,
                                                    .mkdir = do_mkdir,
                                                    .unlink = do_unlink,
                                                    .rmdir = do_rmdir,
                                                    .symlink = do_symlink,
                                                    .rename = do_rename,
                                                    .link = do_link,
                                                    .open = do_open,
                                                    .read = do_read,
                                                    .write = do_write,
                                                    .release = do_release,
                                                    .fsync = do_fsync,
                                                    .opendir = do_opendir,
                                                    .readdir = do_readdir,
                                                    .releasedir = do_releasedir,
                                                    .fsyncdir = do_fsyncdir,
                                                    .statfs = do_statfs,
                                                    .setxattr = do_setxattr,
                                                    .getxattr = do_getxattr,
                                                    .listxattr = do_listxattr,
                                                    .removexattr = do_removexattr,
                                                    .fallocate = do_fallocate};

int main(int count, char **words) {
    if (count != 4) return fprintf(stderr, "usage: recorder SOURCE MOUNTPOINT LOG\n"), 2;
    root = (struct inode){.fd = open(words[1], O_PATH | O_DIRECTORY | O_CLOEXEC),
                          .id = FUSE_ROOT_ID};
    journal = fopen(words[3], "wbe");
    if (root.fd < 0 || !journal) return perror("recorder"), 1;
    struct rlimit most = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_NOFILE, &most);
    umask(0);
    char *options[] = {"recorder", "-o", "allow_other,default_permissions,fsname=recorder"};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, options);
    struct fuse_session *session = fuse_session_new(&arguments, &operations, sizeof operations,
                                                    NULL);
    if (!session || fuse_set_signal_handlers(session) || fuse_session_mount(session, words[2]))
        return 1;
    int status = fuse_session_loop(session);
    if (status == SIGTERM) return fclose(journal) != 0;
    fuse_session_unmount(session);
    return fclose(journal) || status != 0;
}
