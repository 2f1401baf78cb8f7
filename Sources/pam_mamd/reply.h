// Reads a daemon's reply: JSON from a process that may be anybody's.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MAXIMUM_ACCOUNTS = 16, MAXIMUM_TEXT = 256 };

// What is longer is cut.
typedef char text[MAXIMUM_TEXT];

enum consequence { NONE, LOCKED_OUT, WIPED };

struct account {
    // 32 hexadecimal digits
    char id[33];
    text name;
    bool is_open, has_passphrase;
    long long retry_after_seconds;
    // What one more wrong passphrase leads to
    enum consequence last_try;
};

// What is printed of it is one line of printable ASCII.
struct reply {
    // Without the interface's name; empty if there is none
    text error;
    text reason;
    long long retry_after_seconds;
    size_t account_count;
    struct account accounts[MAXIMUM_ACCOUNTS];
};

// `count` bytes without the frame's zero. Of a list of accounts, the first of the user `uid`. False
// if it is no reply: what is in `reply` then means nothing.
bool reply_read(const char *json, size_t count, uid_t uid, struct reply *reply);
