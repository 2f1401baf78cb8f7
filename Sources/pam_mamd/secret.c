#define _GNU_SOURCE
#include "secret.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct secret *secret_new(const char *text) {
    const size_t count = strnlen(text, MAXIMUM_SECRET + 1);
    if (count == 0 || count > MAXIMUM_SECRET) return NULL;
    struct secret *secret = mmap(NULL, sizeof *secret, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED) return NULL;
    // Where the limit leaves no room it may be swapped, as PAM's own copy may.
    (void)mlock(secret, sizeof *secret);
    (void)madvise(secret, sizeof *secret, MADV_DONTDUMP);
    secret->count = count;
    memcpy(secret->bytes, text, count);
    return secret;
}

void secret_free(struct secret *secret) {
    if (!secret) return;
    explicit_bzero(secret, sizeof *secret);
    (void)munmap(secret, sizeof *secret);
}

void secret_keep_in_child(const struct secret *secret) {
    if (secret) (void)mlock(secret, sizeof *secret);
}

int secret_pipe(const struct secret *secret) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    // An empty pipe has room for it. The daemon drops one newline at the end, which may be the
    // passphrase's own.
    const bool is_written = write(ends[1], secret->bytes, secret->count) ==
                                (ssize_t)secret->count &&
                            write(ends[1], "\n", 1) == 1;
    (void)close(ends[1]);
    if (is_written) return ends[0];
    (void)close(ends[0]);
    return -1;
}
