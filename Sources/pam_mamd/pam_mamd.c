// The login passphrase opens the managed accounts that have the same, and they follow its change:
// mamd(8), UNLOCK AT LOGIN. A login depends on none of it: nothing here fails.
#include "task.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>

// All else is the module's own.
#define ENTRY __attribute__((visibility("default")))

enum {
    // Milliseconds that a login waits; the child goes on.
    LOGIN_PATIENCE = 5 * 1000,
    // And a change, of whose end a person is told: what it says at its limit comes after that.
    CHANGE_PATIENCE = TASK_LIMIT + 1000,
};

// Between pam_sm_authenticate and the session's beginning
struct login {
    uid_t uid;
    struct secret *passphrase;
};

static const char login_name[] = "pam_mamd_login";

static void free_login(struct login *login) {
    if (!login) return;
    secret_free(login->passphrase);
    free(login);
}

static void clean_login(pam_handle_t *pam, void *data, int status) {
    (void)pam, (void)status;
    free_login(data);
}

// The one option is workspace=NAME.
static const char *workspace(pam_handle_t *pam, int count, const char **arguments) {
    static const char option[] = "workspace=";
    const char *found = NULL;
    for (int at = 0; at < count; at++) {
        if (strncmp(arguments[at], option, sizeof option - 1) == 0)
            found = arguments[at] + sizeof option - 1;
        else pam_syslog(pam, LOG_ERR, "unknown option: %s", arguments[at]);
    }
    return found;
}

// Root's passphrase would be tried on other users' accounts: root may open them all.
static bool find_person(pam_handle_t *pam, struct person *person) {
    const void *user = NULL;
    if (pam_get_item(pam, PAM_USER, &user) != PAM_SUCCESS || !user) return false;
    const struct passwd *entry = pam_modutil_getpwnam(pam, user);
    if (!entry || entry->pw_uid == 0 || (geteuid() != 0 && geteuid() != entry->pw_uid))
        return false;
    *person = (struct person){.uid = entry->pw_uid, .gid = entry->pw_gid};
    // Without it only the sockets in /run are found.
    if (entry->pw_dir[0] == '/' && strlen(entry->pw_dir) < sizeof person->home)
        memcpy(person->home, entry->pw_dir, strlen(entry->pw_dir) + 1);
    return true;
}

// NULL if there is none, as after a fingerprint. Nobody is asked for one.
static struct secret *take_secret(pam_handle_t *pam, int item) {
    const void *text = NULL;
    if (pam_get_item(pam, item, &text) != PAM_SUCCESS || !text) return NULL;
    return secret_new(text);
}

static struct login *keep_login(pam_handle_t *pam, const struct person *person) {
    struct secret *passphrase = take_secret(pam, PAM_AUTHTOK);
    struct login *login = passphrase ? malloc(sizeof *login) : NULL;
    if (!login) {
        secret_free(passphrase);
        return NULL;
    }
    *login = (struct login){person->uid, passphrase};
    if (pam_set_data(pam, login_name, login, clean_login) == PAM_SUCCESS) return login;
    free_login(login);
    return NULL;
}

ENTRY int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **arguments) {
    struct person person;
    char line[MAXIMUM_LINE];
    if (!find_person(pam, &person)) return PAM_IGNORE;
    const struct login *login = keep_login(pam, &person);
    if (!login) return PAM_IGNORE;
    const struct task task = {
        .purpose = UNLOCK,
        .person = &person,
        .passphrase = login->passphrase,
        .workspace = workspace(pam, count, arguments),
    };
    task_start(&task, LOGIN_PATIENCE, line);
    if (line[0] && !(flags & PAM_SILENT)) (void)pam_info(pam, "%s", line);
    return PAM_IGNORE;
}

ENTRY int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **arguments) {
    (void)pam, (void)flags, (void)count, (void)arguments;
    return PAM_IGNORE;
}

// The user's own daemons start with the session, or after this: a child waits for them. sudo's
// session is another user's than its passphrase.
ENTRY int pam_sm_open_session(pam_handle_t *pam, int flags, int count, const char **arguments) {
    struct person person;
    const void *data = NULL;
    char line[MAXIMUM_LINE];
    (void)flags;
    if (pam_get_data(pam, login_name, &data) != PAM_SUCCESS || !data) return PAM_SUCCESS;
    const struct login *login = data;
    if (find_person(pam, &person) && person.uid == login->uid) {
        const struct task task = {
            .purpose = UNLOCK_SOON,
            .person = &person,
            .passphrase = login->passphrase,
            .workspace = workspace(pam, count, arguments),
        };
        task_start(&task, 0, line);
    }
    // The login's own is needed no more.
    (void)pam_set_data(pam, login_name, NULL, NULL);
    return PAM_SUCCESS;
}

ENTRY int pam_sm_close_session(pam_handle_t *pam, int flags, int count, const char **arguments) {
    (void)pam, (void)flags, (void)count, (void)arguments;
    return PAM_SUCCESS;
}

// After the module that changes the login passphrase, which may refuse: an account never has one
// that the person believes to be refused. If it ends between the two, the account has the former
// passphrase, and the next login says so. Root, who knows no former one, changes no account's.
ENTRY int pam_sm_chauthtok(pam_handle_t *pam, int flags, int count, const char **arguments) {
    struct person person;
    char line[MAXIMUM_LINE];
    if (!(flags & PAM_UPDATE_AUTHTOK) || !find_person(pam, &person)) return PAM_IGNORE;
    struct secret *former = take_secret(pam, PAM_OLDAUTHTOK);
    struct secret *next = take_secret(pam, PAM_AUTHTOK);
    if (former && next) {
        const struct task task = {
            .purpose = CHANGE,
            .person = &person,
            .passphrase = former,
            .next = next,
            .workspace = workspace(pam, count, arguments),
        };
        task_start(&task, CHANGE_PATIENCE, line);
        if (line[0] && !(flags & PAM_SILENT)) (void)pam_error(pam, "%s", line);
    }
    secret_free(former);
    secret_free(next);
    return PAM_IGNORE;
}
