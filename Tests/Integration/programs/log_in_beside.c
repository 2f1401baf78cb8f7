// log-in-beside SERVICE USER: checks the passphrase in standard input's line while another thread
// waits in syslog(3), whose lock it has: nobody reads the log.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_appl.h>

static _Atomic pid_t other;

static void *fill(void *nothing) {
    atomic_store(&other, gettid());
    for (;;) syslog(LOG_DEBUG, "full soon");
    return nothing;
}

static int is_asleep(pid_t thread) {
    char file[64], state = 0;
    (void)snprintf(file, sizeof file, "/proc/self/task/%d/stat", (int)thread);
    FILE *status = fopen(file, "r");
    if (!status) return 0;
    if (fscanf(status, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    (void)fclose(status);
    return state == 'S';
}

static int answer(int count, const struct pam_message **messages, struct pam_response **responses,
                  void *passphrase) {
    *responses = calloc((size_t)count, sizeof **responses);
    for (int at = 0; at < count; at++)
        if (messages[at]->msg_style == PAM_PROMPT_ECHO_OFF)
            (*responses)[at].resp = strdup(passphrase);
    return PAM_SUCCESS;
}

int main(int count, char **arguments) {
    char line[256];
    pthread_t thread;
    pam_handle_t *pam;
    const struct pam_conv conversation = {answer, line};
    if (count != 3 || !fgets(line, sizeof line, stdin)) return 2;
    line[strcspn(line, "\n")] = 0;
    if (pthread_create(&thread, NULL, fill, NULL) != 0) return 2;
    while (!is_asleep(atomic_load(&other))) (void)usleep(1000);
    if (pam_start(arguments[1], arguments[2], &conversation, &pam) != PAM_SUCCESS) return 2;
    _exit(pam_authenticate(pam, 0));
}
