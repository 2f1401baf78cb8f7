// Three processes: the front, which the shell waits for; its child, the supervisor; and the
// supervisor's child, the command. Front and command share a process group, so that the terminal's
// signals reach the command directly.
//
// The supervisor has the identity and is the subreaper of all that the command starts. It exits
// after the last of these processes.
#define _GNU_SOURCE
#include "supervisor.h"

#include "contained.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Messages from the supervisor to the front.
struct report {
    enum { READY, STARTED, FAILED, STOPPED, ENDED } kind;
    int value;
};

// All signals but SIGCHLD and those that a fault of the front itself raises.
static void relayed_signals(sigset_t *set) {
    static const int kept[] = {SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) sigdelset(set, kept[i]);
}

// The front's first message: whether it waits for the command's end.
enum { WAITS = '+', LEAVES = '-' };

// What the supervisor runs. `containment`: NULL for none; then there are no `rules`.
struct command {
    char *const *argv;
    const struct mam_containment *containment;
    int rules;
    /// Neither the terminal nor the front's end shall reach the command.
    int leaves;
};

static int send_all(int connection, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(connection, bytes, count, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count ? 0 : -1;
}

// 0 at the end of the stream: the other process has died.
static int receive_all(int connection, void *bytes, size_t count) {
    ssize_t got;
    do got = recv(connection, bytes, count, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)count;
}

static void tell(int connection, int kind, int value) {
    const struct report report = {kind, value};
    send_all(connection, &report, sizeof report);
}

// MARK: The supervisor

// Neither the supervisor nor the command shall have the caller's descriptors.
static void close_all_but(const int kept[], int count) {
    unsigned first = STDERR_FILENO + 1, next;
    do {
        next = ~0U;
        for (int i = 0; i < count; i++)
            if (kept[i] >= (int)first && (unsigned)kept[i] < next) next = (unsigned)kept[i];
        if (next > first) syscall(SYS_close_range, first, next == ~0U ? next : next - 1, 0);
        first = next + 1;
    } while (next != ~0U);
}

static void close_inherited(const struct command *what, int connection) {
    const struct mam_containment *has = what->containment;
    if (!has) {
        close_all_but(&connection, 1);
        return;
    }
    const int kept[] = {connection, has->display, has->compositor, has->watch,
                        has->sound, has->wayland, has->x11};
    close_all_but(kept, sizeof kept / sizeof *kept);
}

// The child that becomes the command.
_Noreturn static void become(const struct command *what, const sigset_t *mask, pid_t supervisor,
                             int news) {
    // The command dies with the supervisor.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(127);
    if (what->leaves) setsid();
    if (!what->containment || mam_contain_command(what->rules, what->containment, news) == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(what->argv[0], what->argv);
    }
    const int error = errno;
    send_all(news, &error, sizeof error);
    _exit(127);
}

// Returns the command's process, or -errno.
static pid_t start(const struct command *what, const sigset_t *mask) {
    int news[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, news) != 0) return -errno;
    const pid_t supervisor = getpid(), command = fork();
    if (command == 0) become(what, mask, supervisor, news[1]);
    int error = command < 0 ? errno : 0;
    // The command's group, to which it sends signals, is not this process's, and cannot become it.
    if (what->leaves || what->containment) setsid();
    close(news[1]);
    if (command > 0 && what->containment)
        error = mam_serve_command(news[0], what->containment) == 0 ? 0 : errno;
    // At the end of the stream there is nothing to tell.
    if (command > 0 && !receive_all(news[0], &error, sizeof error) && error == 0) {
        close(news[0]);
        return command;
    }
    if (command > 0) {
        kill(command, SIGKILL);
        waitpid(command, NULL, 0);
    }
    close(news[0]);
    return -error;
}

// Releases the caller's pipes and directory, which background processes outlive.
static void let_go(void) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; null >= 0 && stream <= STDERR_FILENO; stream++) dup2(null, stream);
    if (null > STDERR_FILENO) close(null);
    if (chdir("/") != 0) return;
}

// What is left of the children: none, some that live, or perhaps some to be reaped.
enum { NONE, LIVING, ENDED_TOO };

// Reaps children, not so many that nothing else is seen meanwhile.
static int reap(pid_t *command, int connection) {
    enum { AT_ONCE = 256 };
    for (int i = 0; i < AT_ONCE; i++) {
        int status;
        const pid_t child = waitpid(-1, &status, WNOHANG | WUNTRACED);
        if (child == 0) return LIVING;
        if (child < 0) return errno == EINTR ? ENDED_TOO : NONE;
        if (child != *command) continue;
        if (WIFSTOPPED(status)) {
            tell(connection, STOPPED, WSTOPSIG(status));
            continue;
        }
        *command = 0;
        tell(connection, ENDED, status);
        shutdown(connection, SHUT_RDWR);
    }
    return ENDED_TOO;
}

// What the supervisor waits for.
enum { CHILDREN, CONNECTION, COMPOSITOR, MOUNTS, COUNT };

static void drop(struct pollfd *waiting) {
    if (waiting->fd >= 0) close(waiting->fd);
    waiting->fd = -1;
}

// Signals for the command, from the front.
static void relay_signal(struct pollfd *connection, pid_t command) {
    int number;
    if (!connection->revents) return;
    // The front was killed: kill the command too.
    if (!receive_all(connection->fd, &number, sizeof number)) {
        connection->fd = -1;
        number = SIGKILL;
    }
    if (command > 0) kill(command, number);
}

// `connection`: -1 if nobody waits. `containment`: NULL for none.
_Noreturn static void keep(int connection, const struct mam_containment *containment, int children,
                           pid_t command) {
    // So often, what was started meanwhile is looked for.
    enum { MILLISECONDS = 50 };
    const int mounts = containment ? open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) : -1;
    struct pollfd waiting[COUNT] = {
        [CHILDREN] = {.fd = children, .events = POLLIN},
        [CONNECTION] = {.fd = connection, .events = POLLIN},
        [COMPOSITOR] = {.fd = containment ? containment->compositor : -1},
        // It tells of changes since it was opened.
        [MOUNTS] = {.fd = mounts, .events = POLLPRI}};
    int is_covered = containment && containment->is_covered(containment);
    for (int left; (left = reap(&command, connection)) != NONE;) {
        if (is_covered) mam_kill_descendants();
        if (command == 0) {
            // What goes on in the background has no display any more.
            drop(&waiting[COMPOSITOR]);
            waiting[CONNECTION].fd = -1;
        }
        const int patience = left == ENDED_TOO ? 0 : is_covered ? MILLISECONDS : -1;
        if (poll(waiting, COUNT, patience) < 0) continue;
        struct signalfd_siginfo ended;
        if (waiting[CHILDREN].revents && read(children, &ended, sizeof ended) < 0) continue;
        // Its display has gone.
        if (waiting[COMPOSITOR].revents) {
            drop(&waiting[COMPOSITOR]);
            if (command > 0) kill(command, SIGTERM);
        }
        // For good: what it has written there may be read by anybody.
        if (waiting[MOUNTS].revents && containment->is_covered(containment)) is_covered = 1;
        relay_signal(&waiting[CONNECTION], command);
    }
    if (is_covered) containment->note(containment, "mount");
    _exit(0);
}

// Contains this process too: it acts for the command.
static int contain(struct command *what) {
    what->rules = mam_landlock_rules(what->containment);
    return what->rules < 0 ? -1 : mam_landlock_enter(what->rules);
}

_Noreturn static void supervise(struct command *what, int connection, const sigset_t *mask) {
    prctl(PR_SET_NAME, "mamctl-run");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    close_inherited(what, connection);
    if (what->containment && contain(what) != 0) {
        tell(connection, FAILED, errno);
        _exit(0);
    }
    tell(connection, READY, 0);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    // With SIGCHLD ignored, the kernel would reap. The command inherits the old disposition.
    const sighandler_t was = signal(SIGCHLD, SIG_DFL);
    const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    char go;
    if (children < 0 || !receive_all(connection, &go, 1)) _exit(0);
    what->leaves = go == LEAVES;
    if (was == SIG_IGN) signal(SIGCHLD, SIG_IGN);
    const pid_t command = start(what, mask);
    signal(SIGCHLD, SIG_DFL);
    tell(connection, command < 0 ? FAILED : STARTED, command < 0 ? -command : command);
    if (command < 0) _exit(0);
    let_go();
    keep(go == LEAVES ? -1 : connection, what->containment, children, command);
}

int32_t mam_supervisor_fork(char *const argv[], const struct mam_containment *containment,
                            int *connection) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    const pid_t supervisor = fork();
    if (supervisor == 0) {
        close(ends[0]);
        struct command what = {argv, containment, -1, 0};
        supervise(&what, ends[1], &mask);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    struct report report = {FAILED, ECHILD};
    if (supervisor > 0) {
        receive_all(ends[0], &report, sizeof report);
        error = report.value;
    }
    *connection = ends[0];
    if (supervisor > 0 && report.kind == READY) return supervisor;
    close(ends[0]);
    errno = error;
    return -1;
}

// MARK: The front

// Signals of the terminal go to the whole process group: the command has them already.
static void relay(int signals, int connection) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) {
        const int number = (int)info.ssi_signo;
        if (info.ssi_code != SI_KERNEL) send_all(connection, &number, sizeof number);
    }
}

// Stops as the command did, so that the shell notices, and continues with it.
static void stop_with_command(int connection) {
    raise(SIGSTOP);
    const int number = SIGCONT;
    send_all(connection, &number, sizeof number);
}

int mam_supervisor_start(int connection) {
    sigset_t relayed, mask;
    relayed_signals(&relayed);
    sigprocmask(SIG_BLOCK, &relayed, &mask);
    const int signals = signalfd(-1, &relayed, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd waiting[] = {{.fd = connection, .events = POLLIN},
                               {.fd = signals, .events = POLLIN}};
    int result = -1;
    errno = 0;
    const char go = WAITS;
    if (signals >= 0 && send_all(connection, &go, 1) == 0) {
        struct report report = {STARTED, 0};
        while (report.kind != ENDED) {
            if (poll(waiting, 2, -1) < 0) continue;
            if (waiting[1].revents) relay(signals, connection);
            if (!waiting[0].revents) continue;
            if (!receive_all(connection, &report, sizeof report)) {
                errno = ECHILD;
                break;
            }
            if (report.kind == FAILED) {
                errno = report.value;
                break;
            }
            if (report.kind == STOPPED) stop_with_command(connection);
        }
        if (report.kind == ENDED) result = report.value;
    }
    const int error = errno;
    if (signals >= 0) close(signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    return result;
}

int mam_supervisor_leave(int connection) {
    const char go = LEAVES;
    struct report report = {FAILED, ECHILD};
    if (send_all(connection, &go, 1) == 0) receive_all(connection, &report, sizeof report);
    errno = report.value;
    return report.kind == STARTED ? 0 : -1;
}

_Noreturn void mam_end_by_signal(int number) {
    // The command has dumped core already.
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}
