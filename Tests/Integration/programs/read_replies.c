// What libFuzzer gives is read as a daemon's reply by the PAM module's code.
#include "../../../Sources/pam_mamd/reply.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require_line(const char *text, size_t capacity) {
    if (strnlen(text, capacity) == capacity) abort();
    for (; *text; text++)
        if (*text < ' ' || *text > '~') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static struct reply reply;
    // Of its own size, for the sanitizer to see what is read beyond.
    char *json = malloc(count);
    if (count > 0 && !json) abort();
    if (count > 0) memcpy(json, bytes, count);
    if (reply_read(json, count, 65534, &reply)) {
        require_line(reply.error, sizeof reply.error);
        require_line(reply.reason, sizeof reply.reason);
        for (size_t at = 0; at < reply.account_count; at++) {
            require_line(reply.accounts[at].name, sizeof reply.accounts[at].name);
            if (strspn(reply.accounts[at].id, "0123456789abcdef") != 32) abort();
        }
    }
    free(json);
    return 0;
}
