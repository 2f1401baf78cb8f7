#define _GNU_SOURCE
#include "containment.h"

#include "landlock.h"
#include "modes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// Arguments that the kernel takes as an int are compared as one: it ignores the upper half.
#define IS(number, value) SCMP_CMP64(number, SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)(value))
#define HAS(number, bits) SCMP_CMP64(number, SCMP_CMP_MASKED_EQ, (bits), (bits))
#define MASKED(number, mask, value) SCMP_CMP64(number, SCMP_CMP_MASKED_EQ, (mask), (value))

// The kernel's numbers of calls that libseccomp does not know yet; the same on all architectures.
enum { SETXATTRAT = 463, REMOVEXATTRAT = 466, FILE_SETATTR = 469, OPEN_TREE_ATTR = 467 };

struct refusal {
    int call, error;
};

// Ways out that Landlock does not know.
static const struct refusal refused[] = {
    // It makes calls that no filter sees.
    {SCMP_SYS(io_uring_setup), ENOSYS},
    {SCMP_SYS(io_uring_enter), ENOSYS},
    {SCMP_SYS(io_uring_register), ENOSYS},
    // Attributes of files outside can hold what is in a file inside.
    {SCMP_SYS(setxattr), EOPNOTSUPP},
    {SCMP_SYS(lsetxattr), EOPNOTSUPP},
    {SCMP_SYS(fsetxattr), EOPNOTSUPP},
    {SETXATTRAT, EOPNOTSUPP},
    {SCMP_SYS(removexattr), EOPNOTSUPP},
    {SCMP_SYS(lremovexattr), EOPNOTSUPP},
    {SCMP_SYS(fremovexattr), EOPNOTSUPP},
    {REMOVEXATTRAT, EOPNOTSUPP},
    {FILE_SETATTR, EOPNOTSUPP},
    // Memory, queues and keys that programs outside can read.
    {SCMP_SYS(shmget), ENOSYS},
    {SCMP_SYS(shmat), ENOSYS},
    {SCMP_SYS(shmctl), ENOSYS},
    {SCMP_SYS(msgget), ENOSYS},
    {SCMP_SYS(msgsnd), ENOSYS},
    {SCMP_SYS(msgrcv), ENOSYS},
    {SCMP_SYS(msgctl), ENOSYS},
    {SCMP_SYS(semget), ENOSYS},
    {SCMP_SYS(semop), ENOSYS},
    {SCMP_SYS(semtimedop), ENOSYS},
    {SCMP_SYS(semctl), ENOSYS},
    {SCMP_SYS(mq_open), EACCES},
    {SCMP_SYS(mq_unlink), EACCES},
    {SCMP_SYS(add_key), ENOSYS},
    {SCMP_SYS(request_key), ENOSYS},
    {SCMP_SYS(keyctl), ENOSYS},
    // Its flags lie in memory; the C library does without it.
    {SCMP_SYS(clone3), ENOSYS},
    {SCMP_SYS(openat2), ENOSYS},
    // Mounts and name spaces.
    {SCMP_SYS(setns), EPERM},
    {SCMP_SYS(mount), EPERM},
    {SCMP_SYS(umount2), EPERM},
    {SCMP_SYS(pivot_root), EPERM},
    {SCMP_SYS(chroot), EPERM},
    {SCMP_SYS(move_mount), EPERM},
    {SCMP_SYS(mount_setattr), EPERM},
    {SCMP_SYS(open_tree), EPERM},
    {OPEN_TREE_ATTR, EPERM},
    {SCMP_SYS(fsopen), EPERM},
    {SCMP_SYS(fsmount), EPERM},
    {SCMP_SYS(fspick), EPERM},
    // What would act on the whole machine.
    {SCMP_SYS(open_by_handle_at), EPERM},
    {SCMP_SYS(bpf), EPERM},
    {SCMP_SYS(perf_event_open), EPERM},
    {SCMP_SYS(userfaultfd), EPERM},
    {SCMP_SYS(fanotify_init), EPERM},
    {SCMP_SYS(init_module), EPERM},
    {SCMP_SYS(finit_module), EPERM},
    {SCMP_SYS(kexec_load), EPERM},
    {SCMP_SYS(kexec_file_load), EPERM},
    {SCMP_SYS(acct), EPERM},
    {SCMP_SYS(quotactl), EPERM},
    {SCMP_SYS(quotactl_fd), EPERM},
    {SCMP_SYS(swapon), EPERM},
    {SCMP_SYS(sethostname), EPERM},
    {SCMP_SYS(setdomainname), EPERM},
};

static int refuse(scmp_filter_ctx filter, int error, int call, unsigned count,
                  const struct scmp_arg_cmp *arguments) {
    const int status = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(error), call, count,
                                              arguments);
    // Calls that this architecture does not have.
    return status == -EDOM ? 0 : status;
}

#define REFUSE(error, call, ...) \
    refuse(filter, error, SCMP_SYS(call), \
           sizeof((struct scmp_arg_cmp[]){__VA_ARGS__}) / sizeof(struct scmp_arg_cmp), \
           (struct scmp_arg_cmp[]){__VA_ARGS__})

// A limit of dumps other than 1 has the kernel start a program for one. Calls that set it do
// nothing, and say that they did: programs with secrets end if they cannot set it to 0.
static int keep_from_dumps(scmp_filter_ctx filter) {
    int status = REFUSE(0, setrlimit, IS(0, RLIMIT_CORE));
    return status != 0 ? status
                       : REFUSE(0, prlimit64, IS(1, RLIMIT_CORE), SCMP_CMP64(2, SCMP_CMP_NE, 0));
}

static int refuse_calls(scmp_filter_ctx filter) {
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof refused / sizeof *refused; i++)
        status = refuse(filter, refused[i].error, refused[i].call, 0, NULL);
    return status;
}

// All that clone(2) can make. There, CLONE_NEWTIME's bit belongs to the signal at the end.
static const uint64_t spaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                  CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

static int refuse_name_spaces(scmp_filter_ctx filter) {
    int status = REFUSE(EPERM, unshare, HAS(0, (uint64_t)CLONE_NEWTIME));
    for (size_t i = 0; status == 0 && i < sizeof spaces / sizeof *spaces; i++) {
        status = REFUSE(EPERM, unshare, HAS(0, spaces[i]));
        if (status == 0) status = REFUSE(EPERM, clone, HAS(0, spaces[i]));
    }
    return status;
}

// Limits, processors and priorities of other processes hold numbers that those can read. 0 is the
// caller itself.
static int refuse_other_processes(scmp_filter_ctx filter) {
    static const struct {
        int call;
        unsigned argument;
    } calls[] = {
        {SCMP_SYS(prlimit64), 0},          {SCMP_SYS(sched_setaffinity), 0},
        {SCMP_SYS(sched_setscheduler), 0}, {SCMP_SYS(sched_setparam), 0},
        {SCMP_SYS(sched_setattr), 0},      {SCMP_SYS(setpriority), 1},
        {SCMP_SYS(ioprio_set), 1},
    };
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof calls / sizeof *calls; i++) {
        const struct scmp_arg_cmp other = SCMP_CMP64(calls[i].argument, SCMP_CMP_NE, 0);
        status = refuse(filter, EPERM, calls[i].call, 1, &other);
    }
    // Nor of a group, of a user, or of what else there will be.
    enum { IOPRIO_WHO_PROCESS = 1 };
    if (status == 0) status = REFUSE(EPERM, setpriority, SCMP_CMP64(0, SCMP_CMP_NE, PRIO_PROCESS));
    if (status == 0)
        status = REFUSE(EPERM, ioprio_set, SCMP_CMP64(0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS));
    // It would let a process outside trace this one in spite of Yama.
    return status != 0 ? status : REFUSE(EINVAL, prctl, IS(0, PR_SET_PTRACER));
}

// MARK: ioctl(2)

// The second byte of a request says whose it is. These are of what a program has open anyway. Those
// of file systems ask for no descriptor that can be written to, and files outside keep what they
// set.
static const unsigned char kinds[] = {
    'T',  // terminals, and all files
    0x89, // sockets
    'A',  // ALSA: what is played and recorded
    'U',  // ALSA: which cards there are
    'd',  // DRM
    'b',  // DMA-BUF
    '>',  // sync files
};
enum { KIND = 0xff00, KIND_SHIFT = 8 };

// Refuses all kinds but these with few rules: of each half of those that agree in the bits of
// `mask` all at once if none of them is there.
static int refuse_kinds(scmp_filter_ctx filter, unsigned mask, unsigned value) {
    int has_any = 0;
    for (size_t i = 0; i < sizeof kinds; i++) has_any |= (kinds[i] & mask) == value;
    if (!has_any) return REFUSE(ENOTTY, ioctl, MASKED(1, mask << KIND_SHIFT, value << KIND_SHIFT));
    if (mask == UINT8_MAX) return 0;
    // From the highest bit on.
    const unsigned bit = (mask >> 1 | 0x80) & ~mask;
    const int status = refuse_kinds(filter, mask | bit, value);
    return status != 0 ? status : refuse_kinds(filter, mask | bit, value | bit);
}

// A card's controls keep what is written to them. What is left asks.
static int refuse_controls(scmp_filter_ctx filter) {
    // From <sound/asound.h>: of 0x10 to 0x1f, LIST, INFO, READ, SUBSCRIBE and TLV_READ.
    enum { CONTROLS = 0x5510 };
    static const unsigned kept = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 10;
    int status = 0;
    for (unsigned number = 0; status == 0 && number < 16; number++)
        if (!(kept >> number & 1))
            status = REFUSE(EPERM, ioctl, MASKED(1, KIND | 0xff, CONTROLS | number));
    return status;
}

// Devices that a descriptor for reading is enough to make, and that programs outside see: terminals
// (by their master), interfaces of the network (TUN), keyboards (uinput).
static int refuse_new_devices(scmp_filter_ctx filter) {
    enum { MASTER = 0x5430, NUMBER = 0xf0, TUN = 0x5480, HIGH = 0x80, CREATE = 0x5501 };
    int status = REFUSE(EPERM, ioctl, MASKED(1, KIND | NUMBER, MASTER));
    if (status == 0) status = REFUSE(EPERM, ioctl, MASKED(1, KIND | HIGH, TUN));
    return status != 0 ? status : REFUSE(EPERM, ioctl, IS(1, CREATE));
}

static int refuse_requests(scmp_filter_ctx filter) {
    int status = refuse_kinds(filter, 0, 0);
    if (status == 0) status = refuse_controls(filter);
    // Keystrokes for the terminal, which the shell outside would run.
    static const int of_terminals[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD, TIOCGPTPEER};
    for (size_t i = 0; status == 0 && i < sizeof of_terminals / sizeof *of_terminals; i++)
        status = REFUSE(EPERM, ioctl, IS(1, of_terminals[i]));
    return status != 0 ? status : refuse_new_devices(filter);
}

// Before version 3 Landlock does not know that a file is cut off.
static int refuse_truncation(scmp_filter_ctx filter) {
    if (mam_landlock_version() >= 3) return 0;
    const uint64_t mask = O_ACCMODE | O_TRUNC;
    int status = REFUSE(EACCES, openat, MASKED(2, mask, O_RDONLY | O_TRUNC));
    if (status == 0) status = REFUSE(EACCES, open, MASKED(1, mask, O_RDONLY | O_TRUNC));
    return status != 0 ? status : refuse(filter, EACCES, SCMP_SYS(truncate), 0, NULL);
}

// MARK: Sockets

enum { TYPE = 0xf, FAMILIES = 64 };

static int is_allowed(int family, enum mam_network network) {
    if (family == AF_UNIX) return 1;
    return network != MAM_NETWORK_NONE &&
           (family == AF_INET || family == AF_INET6 || family == AF_NETLINK);
}

// A datagram can name a receiver that connect(2) was never asked about. Unix takes a raw socket as
// one for datagrams.
static int refuse_datagrams(scmp_filter_ctx filter) {
    int status = 0;
    for (int type = SOCK_DGRAM; status == 0 && type <= SOCK_RAW; type++) {
        status = REFUSE(EACCES, socket, IS(0, AF_UNIX), MASKED(1, TYPE, type));
        if (status == 0) status = REFUSE(EACCES, socketpair, IS(0, AF_UNIX), MASKED(1, TYPE, type));
    }
    return status;
}

// They are made past connect(2). As if the machine had switched that off.
static int refuse_unasked_connections(scmp_filter_ctx filter) {
    int status = REFUSE(EOPNOTSUPP, sendto, HAS(3, (uint64_t)MSG_FASTOPEN));
    if (status == 0) status = REFUSE(EOPNOTSUPP, sendmsg, HAS(2, (uint64_t)MSG_FASTOPEN));
    return status != 0 ? status : REFUSE(EOPNOTSUPP, sendmmsg, HAS(3, (uint64_t)MSG_FASTOPEN));
}

static int refuse_sockets(scmp_filter_ctx filter, enum mam_network network) {
    int status = REFUSE(EACCES, socket, SCMP_CMP64(0, SCMP_CMP_GE, FAMILIES));
    for (int family = 0; status == 0 && family < FAMILIES; family++)
        if (!is_allowed(family, network)) status = REFUSE(EACCES, socket, IS(0, family));
    // Routes and addresses of interfaces alone.
    for (int protocol = 1; status == 0 && protocol < 32; protocol++)
        if (network != MAM_NETWORK_NONE)
            status = REFUSE(EACCES, socket, IS(0, AF_NETLINK), IS(2, protocol));
    // Pairs of TIPC know more receivers than each other.
    if (status == 0) status = REFUSE(EACCES, socketpair, SCMP_CMP64(0, SCMP_CMP_NE, AF_UNIX));
    if (status == 0) status = refuse_datagrams(filter);
    return status != 0 ? status : refuse_unasked_connections(filter);
}

// MARK: What the broker decides

static int ask(scmp_filter_ctx filter, int call) {
    const int status = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, call, 0);
    // Calls that this architecture does not have.
    return status == -EDOM ? 0 : status;
}

static int ask_about_all(scmp_filter_ctx filter, const int calls[], size_t count) {
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) status = ask(filter, calls[i]);
    return status;
}

static int ask_about_modes(scmp_filter_ctx filter) {
    int status = 0;
    for (int i = 0; status == 0 && i < MAM_MODE_CALLS; i++) status = ask(filter, mam_mode_call(i));
    return status;
}

static int ask_about_sockets(scmp_filter_ctx filter, enum mam_network network) {
    static const int calls[] = {SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen)};
    int status = ask_about_all(filter, calls, sizeof calls / sizeof *calls);
    if (status != 0 || network == MAM_NETWORK_NONE) return status;
    status = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(socket), 1, IS(0, AF_INET));
    return status != 0
               ? status
               : seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(socket), 1, IS(0, AF_INET6));
}

// The owner of a file gets a signal when something can be read from it, SIGIO or another one. What
// names it in memory could be exchanged.
static int ask_about_owners(scmp_filter_ctx filter) {
    int status = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(fcntl), 1, IS(1, F_SETOWN));
    if (status == 0) status = REFUSE(EINVAL, fcntl, IS(1, F_SETOWN_EX));
    if (status == 0) status = REFUSE(EINVAL, fcntl, IS(1, F_SETSIG));
    if (status == 0) status = REFUSE(EINVAL, ioctl, IS(1, FIOSETOWN));
    return status != 0 ? status : REFUSE(EINVAL, ioctl, IS(1, SIOCSPGRP));
}

// Before version 6 Landlock does not know signals: the supervisor must not die of one.
static int ask_about_signals(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(tgkill),
                                SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)};
    if (mam_landlock_version() >= 6) return 0;
    int status = ask_about_all(filter, calls, sizeof calls / sizeof *calls);
    // Another thread could exchange the descriptor after the broker has looked.
    if (status == 0) status = refuse(filter, ENOSYS, SCMP_SYS(pidfd_send_signal), 0, NULL);
    return status != 0 ? status : ask_about_owners(filter);
}

// Before version 6 of Landlock the supervisor cannot signal all programs at once. It finds one
// after another, and meanwhile there must not be more. A thread ends with its process.
static int ask_about_forks(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(fork), SCMP_SYS(vfork)};
    if (mam_landlock_version() >= 6) return 0;
    // No call is in two rules: it is not said which of them would decide.
    uint64_t others = CLONE_THREAD;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) others |= spaces[i];
    const int status = ask_about_all(filter, calls, sizeof calls / sizeof *calls);
    return status != 0 ? status
                       : seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(clone), 1,
                                          MASKED(0, others, 0));
}

int mam_filter_calls(const struct mam_containment *containment) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter) {
        errno = ENOMEM;
        return -1;
    }
    // Programs for 32 bits have other numbers.
    int status = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    if (status == 0) status = refuse_calls(filter);
    if (status == 0) status = keep_from_dumps(filter);
    if (status == 0) status = refuse_name_spaces(filter);
    if (status == 0) status = refuse_other_processes(filter);
    if (status == 0) status = refuse_requests(filter);
    if (status == 0) status = refuse_truncation(filter);
    if (status == 0) status = refuse_sockets(filter, containment->network);
    if (status == 0) status = ask_about_sockets(filter, containment->network);
    if (status == 0) status = ask_about_signals(filter);
    if (status == 0) status = ask_about_forks(filter);
    if (status == 0) status = ask_about_modes(filter);
    if (status == 0) status = seccomp_load(filter);
    const int listener = status == 0 ? seccomp_notify_fd(filter) : -1;
    // The descriptor stays open.
    seccomp_release(filter);
    if (status != 0) errno = -status;
    return listener;
}
