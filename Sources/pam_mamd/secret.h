// A passphrase in memory that is not swapped, not dumped, and zeroed at its end.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// PAM's own limit is half of it (PAM_MAX_RESP_SIZE); the daemon's is more.
enum { MAXIMUM_SECRET = 1024 };

struct secret {
    size_t count;
    // Not ended by zero
    char bytes[MAXIMUM_SECRET];
};

// A copy of `text`; NULL if it is empty or too long, or there is no memory. secret_free() takes
// NULL, too.
struct secret *secret_new(const char *text);
void secret_free(struct secret *secret);

// A child inherits the memory, but not that it stays in memory.
void secret_keep_in_child(const struct secret *secret);

// The end of a pipe from which it can be read once; -1 on failure.
int secret_pipe(const struct secret *secret);
