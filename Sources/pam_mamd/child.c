// A process of the user's own: root calls no daemon, and walks no directory of the user's.
#define _GNU_SOURCE
#include "daemon.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

// For good; a program of the user's, such as a screen locker, is that already.
static bool become(const struct person *person) {
    uid_t real, effective, saved;
    if (geteuid() == 0 &&
        (setgroups(0, NULL) != 0 || setresgid(person->gid, person->gid, person->gid) != 0 ||
         setresuid(person->uid, person->uid, person->uid) != 0))
        return false;
    return getresuid(&real, &effective, &saved) == 0 && real == person->uid &&
           effective == person->uid && saved == person->uid && person->uid != 0;
}

// The memory is the login's: the user may not look into it.
static bool close_memory(void) {
    const struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
}

// Leaves the report alone, as descriptor 3. Its copy is closed with the others.
static bool close_descriptors(int report) {
    const int high = fcntl(report, F_DUPFD, 10);
    if (high < 0) return false;
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) return false;
    for (int standard = 0; standard < 3; standard++)
        if (dup2(nothing, standard) < 0) return false;
    return dup2(high, 3) == 3 && fcntl(3, F_SETFD, FD_CLOEXEC) == 0 &&
           syscall(SYS_close_range, 4, ~0U, 0) == 0;
}

// The login's handlers are not for this process.
static void reset_signals(void) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, number == SIGPIPE ? SIG_IGN : SIG_DFL);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void say(const struct trouble *trouble) {
    char more[sizeof "; and 4294967295 more"] = "";
    if (!trouble->line[0]) return;
    if (trouble->more > 0) (void)snprintf(more, sizeof more, "; and %u more", trouble->more);
    if (trouble->is_for_person) (void)dprintf(3, "%s%s", trouble->line, more);
    // The login waits no longer: another thread may have had the log's lock at the fork.
    (void)close(3);
    // The login's socket is a descriptor that is closed, or something else.
    closelog();
    openlog("pam_mamd", LOG_PID, LOG_AUTHPRIV);
    syslog(LOG_NOTICE, "%s%s", trouble->line, more);
}

static _Noreturn void perform(const struct task *task, int report) {
    static struct trouble trouble;
    reset_signals();
    // Whatever this waits for, it ends: a lock, too, that another thread had at the fork.
    (void)alarm((task->purpose == UNLOCK_SOON ? SOON_LIMIT : TASK_LIMIT) / 1000 + 2);
    if (!become(task->person) || !close_memory() || !close_descriptors(report) || setsid() < 0)
        _exit(1);
    secret_keep_in_child(task->passphrase);
    secret_keep_in_child(task->next);
    task_perform(task, &trouble);
    say(&trouble);
    _exit(0);
}

// Forks twice: init waits for the child, so that the login need not.
static bool start(const struct task *task, int report) {
    sigset_t all, former;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &former);
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) perform(task, report);
        _exit(0);
    }
    (void)pthread_sigmask(SIG_SETMASK, &former, NULL);
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR);
    return between > 0;
}

// Of what a process of the user's said only what is one printable line.
static void clean(char *line, size_t count) {
    line[count] = 0;
    for (; *line; line++)
        if (*line < ' ' || *line > '~') *line = '?';
}

static void hear(int report, int patience, char line[MAXIMUM_LINE]) {
    const long long end = now() + patience;
    size_t count = 0;
    while (count < MAXIMUM_LINE - 1) {
        struct pollfd one = {report, POLLIN, 0};
        const long long left = end - now();
        const int ready = poll(&one, 1, left > 0 ? (int)left : 0);
        if (ready < 0 && errno == EINTR) continue;
        const ssize_t more = ready > 0 ? read(report, line + count, MAXIMUM_LINE - 1 - count) : 0;
        if (more <= 0) break;
        count += (size_t)more;
    }
    clean(line, count);
}

void task_start(const struct task *task, int patience, char line[MAXIMUM_LINE]) {
    int report[2];
    line[0] = 0;
    if (pipe2(report, O_CLOEXEC) != 0) return;
    const bool is_started = start(task, report[1]);
    (void)close(report[1]);
    if (is_started && patience > 0) hear(report[0], patience, line);
    (void)close(report[0]);
}
