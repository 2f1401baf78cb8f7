#define _GNU_SOURCE
#include "judge.h"

#include "descendants.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Signals, which Landlock restricts since version 6

static int judge_process(pid_t thread) {
    const pid_t process = mam_number_of(thread, "Tgid: %d");
    return process < 0 ? ESRCH : mam_is_descendant(process) ? 0 : EPERM;
}

// This process has a session, and so a group, of its own, which nobody can join. A group may
// outlive its first process.
static int judge_group(pid_t group, pid_t caller) {
    if (group == getpid()) return EPERM;
    if (group == getpgid(caller)) return 0;
    return judge_process(group) == EPERM ? EPERM : 0;
}

static int judge_signal(const struct seccomp_notif *asked) {
    const pid_t whom = (pid_t)asked->data.args[0];
    if (asked->data.nr != SYS_kill || whom > 0) return judge_process(whom);
    if (whom == -1) return EPERM;
    return whom == 0 ? 0 : judge_group(-whom, (pid_t)asked->pid);
}

// Who gets a file's signals.
static int judge_owner(const struct seccomp_notif *asked) {
    const pid_t whom = (pid_t)asked->data.args[2];
    if (whom == INT_MIN) return EINVAL;
    if (whom == 0) return 0;
    return whom > 0 ? judge_process(whom) : judge_group(-whom, (pid_t)asked->pid);
}

// MARK: Sockets

// What can send without connect(2) is asked about here: policy may have become stricter.
static int judge_socket(const struct seccomp_notif *asked,
                        const struct mam_containment *containment) {
    enum { TYPE = 0xf };
    const int type = (int)asked->data.args[1] & TYPE, protocol = (int)asked->data.args[2];
    if (type == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) return 0;
    if (containment->network != MAM_NETWORK_ANY || !containment->may_connect) return EACCES;
    return containment->may_connect(containment, -1) ? 0 : EACCES;
}

int mam_is_judged(int call) {
    switch (call) {
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_clone:
    case SYS_socket:
    case SYS_fcntl:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo: return 1;
    default: return 0;
    }
}

int mam_judge(const struct seccomp_notif *asked, const struct mam_containment *containment) {
    switch (asked->data.nr) {
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_clone: return mam_may_fork() ? 0 : EPERM;
    case SYS_socket: return judge_socket(asked, containment);
    case SYS_fcntl: return judge_owner(asked);
    default: return judge_signal(asked);
    }
}
