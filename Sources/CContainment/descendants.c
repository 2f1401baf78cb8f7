#define _GNU_SOURCE
#include "descendants.h"

#include "containment.h"
#include "landlock.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GENERATIONS = 1024 };

pid_t mam_number_of(pid_t thread, const char *format) {
    char path[48], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", thread);
    FILE *status = fopen(path, "re");
    pid_t number = -1;
    while (status && number < 0 && fgets(line, sizeof line, status))
        if (sscanf(line, format, &number) != 1) number = -1;
    if (status) fclose(status);
    return number;
}

int mam_is_descendant(pid_t process) {
    for (int i = 0; process > 1 && i < GENERATIONS; i++) {
        process = mam_number_of(process, "PPid: %d");
        if (process == getpid()) return 1;
    }
    return 0;
}

static atomic_bool is_ending;

int mam_may_fork(void) { return !atomic_load(&is_ending); }

static void kill_those_found(void) {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    for (const struct dirent *entry; (entry = readdir(processes));) {
        const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
        if (process > 1 && mam_is_descendant(process)) kill(process, SIGKILL);
    }
    closedir(processes);
}

static void kill_one_by_one(void) {
    atomic_store(&is_ending, 1);
    // What was allowed to fork before may do it after the first look at the list.
    for (int look = 0; look < 2; look++) kill_those_found();
}

void mam_kill_descendants(void) {
    // Since version 6 this process reaches no others, and the kernel lets nobody fork meanwhile.
    if (mam_landlock_version() >= 6) kill(-1, SIGKILL);
    else kill_one_by_one();
}
