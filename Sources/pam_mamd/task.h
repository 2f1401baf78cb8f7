// What a child does for the person who logs in, and how it is started.
#pragma once

#include "secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct person {
    uid_t uid;
    gid_t gid;
    char home[256];
};

enum purpose {
    // Of what runs
    UNLOCK,
    // Of the user's own that start with the session
    UNLOCK_SOON,
    CHANGE,
};

enum {
    // One line, with its zero
    MAXIMUM_LINE = 768,
    // Milliseconds after which a task has ended
    TASK_LIMIT = 20 * 1000,
    SOON_LIMIT = 60 * 1000,
};

struct task {
    enum purpose purpose;
    const struct person *person;
    // `next`: only to CHANGE
    const struct secret *passphrase, *next;
    // A workspace's name; NULL: all
    const char *workspace;
};

// What a task has to say: only the first thing is kept, of those for the person if there are any.
struct trouble {
    char line[MAXIMUM_LINE];
    // Not for the log alone
    bool is_for_person;
    unsigned more;
};

// In the child, as the user.
void task_perform(const struct task *task, struct trouble *trouble);

// Starts a child that performs the task as the user, waits at most `patience` milliseconds, and
// goes on. What it has to say to the person is in `line`; empty: nothing, or not yet.
void task_start(const struct task *task, int patience, char line[MAXIMUM_LINE]);
