// Opens the accounts of a person with the login passphrase, and has them follow its change.
#define _GNU_SOURCE
#include "daemon.h"
#include "task.h"
#include "workspaces.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The limit of one call, in milliseconds; a task may make several.
enum { CALL_LIMIT = 10 * 1000 };

struct work {
    const struct task *task;
    struct daemon daemon;
    long long end;
    const char *workspace;
    struct trouble *trouble;
};

__attribute__((format(printf, 3, 4))) static void note(struct trouble *trouble, bool is_for_person,
                                                       const char *form, ...) {
    if (trouble->line[0]) trouble->more++;
    if (trouble->line[0] && (trouble->is_for_person || !is_for_person)) return;
    va_list values;
    va_start(values, form);
    (void)vsnprintf(trouble->line, sizeof trouble->line, form, values);
    va_end(values);
    trouble->is_for_person = is_for_person;
}

// An account's name as a word of a command; else nothing: mamctl asks for it then.
static const char *argument(const struct account *account) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@._+-";
    const char *name = account->name;
    return name[0] != '-' && name[strspn(name, plain)] == 0 ? name : "ACCOUNT";
}

static long long call_end(const struct work *work) {
    const long long limit = work->task->purpose == UNLOCK_SOON ? SOON_LIMIT : CALL_LIMIT;
    return now() + limit < work->end ? now() + limit : work->end;
}

static bool call(const struct work *work, const char *text, const int *descriptors, size_t count,
                 struct reply *reply) {
    return daemon_call(&work->daemon, text, descriptors, count, work->task->person->uid,
                       call_end(work), reply);
}

// Calls for one account, with a secret or two.
static bool call_secretly(const struct work *work, const char *form, const struct account *account,
                          struct reply *reply) {
    char text[256];
    const bool is_change = work->task->purpose == CHANGE;
    const int secrets[] = {
        secret_pipe(work->task->passphrase),
        is_change ? secret_pipe(work->task->next) : -1,
    };
    const size_t count = is_change ? 2 : 1;
    (void)snprintf(text, sizeof text, form, account->id);
    bool is_done = secrets[0] >= 0 && secrets[count - 1] >= 0;
    if (is_done) is_done = call(work, text, secrets, count, reply);
    else errno = EMFILE;
    const int problem = errno;
    for (size_t at = 0; at < count; at++)
        if (secrets[at] >= 0) (void)close(secrets[at]);
    errno = problem;
    return is_done;
}

// A wrong one would cost too much, or is not tried: it is left to the person.
static bool is_left_alone(const struct work *work, const struct account *account) {
    const char *name = account->name, *word = argument(account), *verb = "unlock";
    if (work->task->purpose == CHANGE) verb = "account passphrase";
    if (account->last_try == WIPED)
        note(work->trouble, true,
             "One more wrong passphrase wipes %s: its files here are destroyed. No passphrase was"
             " tried. To do it: mamctl %s %s --workspace %s",
             name, verb, word, work->workspace);
    else if (account->last_try == LOCKED_OUT)
        note(work->trouble, true,
             "One more wrong passphrase closes %s until mamctl account login. No passphrase was"
             " tried. To do it: mamctl %s %s --workspace %s",
             name, verb, word, work->workspace);
    else if (account->retry_after_seconds > 0 && work->task->purpose == UNLOCK_SOON)
        // It was tried, and told, a moment ago.
        return true;
    else if (account->retry_after_seconds > 0)
        note(work->trouble, true,
             "No passphrase of %s is tried for %lld s after a wrong one. Then: mamctl %s %s"
             " --workspace %s",
             name, account->retry_after_seconds, verb, word, work->workspace);
    else return false;
    return true;
}

// What went wrong with the daemon itself is for the log.
static void note_failure(const struct work *work) {
    note(work->trouble, false,
         errno == ETIMEDOUT ? "workspace %s: no answer in time"
                            : "workspace %s: not a reply of mamd",
         work->workspace);
}

static void note_refusal(const struct work *work, const struct account *account,
                         const struct reply *reply) {
    const char *why = reply->reason[0] ? reply->reason : reply->error;
    if (work->task->purpose == CHANGE)
        note(work->trouble, true,
             "The login passphrase is changed, that of %s is not (%s): it is the former one still."
             " Another one: mamctl account passphrase %s --workspace %s",
             account->name, why, argument(account), work->workspace);
    else note(work->trouble, true, "%s is not unlocked: %s", account->name, why);
}

static void note_wrong(const struct work *work, const struct account *account) {
    if (work->task->purpose == CHANGE)
        note(work->trouble, true,
             "%s keeps its passphrase, which is not the former one of the login. To change it:"
             " mamctl account passphrase %s --workspace %s",
             account->name, argument(account), work->workspace);
    else
        note(work->trouble, true,
             "The login passphrase does not open %s, which may have the former one still. To"
             " change it: mamctl account passphrase %s --workspace %s",
             account->name, argument(account), work->workspace);
}

// False if the daemon answers no more.
static bool serve_account(const struct work *work, const struct account *account) {
    static const char unlock[] =
        "{\"method\":\"io.mamd.Workspace.Unlock\",\"parameters\":{"
        "\"account\":\"%s\",\"passphraseDescriptor\":0}}";
    static const char change[] =
        "{\"method\":\"io.mamd.Workspace.ChangePassphrase\","
        "\"parameters\":{\"account\":\"%s\",\"passphraseDescriptor\":0,"
        "\"newPassphraseDescriptor\":1}}";
    static struct reply reply;
    const bool is_change = work->task->purpose == CHANGE;
    if (!account->has_passphrase || (account->is_open && !is_change)) return true;
    if (is_left_alone(work, account)) return true;
    if (!call_secretly(work, is_change ? change : unlock, account, &reply)) {
        if (is_change)
            note(work->trouble, true,
                 "The login passphrase is changed; workspace %s does not say whether that of %s is,"
                 " too. If not: mamctl account passphrase %s --workspace %s",
                 work->workspace, account->name, argument(account), work->workspace);
        else note_failure(work);
        return false;
    }
    if (strcmp(reply.error, "WrongPassphrase") == 0) note_wrong(work, account);
    else if (reply.error[0]) note_refusal(work, account, &reply);
    return true;
}

static bool serve_workspace(const char *name, void *context) {
    static struct reply reply;
    char file[MAXIMUM_NAME + sizeof ".sock"];
    struct work *work = context;
    if (now() >= work->end) return true;
    (void)snprintf(file, sizeof file, "%s.sock", name);
    work->daemon.socket = daemon_connect(file, work->task->person->uid);
    // A killed daemon leaves its socket behind.
    if (work->daemon.socket < 0) return errno != ECONNREFUSED && errno != ENOENT;
    work->workspace = name;
    if (call(work, "{\"method\":\"io.mamd.Workspace.ListAccounts\"}", NULL, 0, &reply)) {
        for (size_t at = 0; at < reply.account_count; at++)
            if (!serve_account(work, &reply.accounts[at])) break;
    } else {
        note_failure(work);
    }
    (void)close(work->daemon.socket);
    return true;
}

void task_perform(const struct task *task, struct trouble *trouble) {
    const bool is_soon = task->purpose == UNLOCK_SOON;
    struct work work = {.task = task, .trouble = trouble};
    work.end = now() + (is_soon ? SOON_LIMIT : TASK_LIMIT);
    work.daemon.buffer = mmap(NULL, MAXIMUM_REPLY, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (work.daemon.buffer == MAP_FAILED) return;
    if (is_soon) workspaces_await(task, work.end, serve_workspace, &work);
    else workspaces_serve(task, serve_workspace, &work);
}
