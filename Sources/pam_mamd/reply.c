#include "reply.h"

#include <stdint.h>
#include <string.h>

enum { MAXIMUM_DEPTH = 32 };

struct reader {
    const char *at, *end;
    int depth;
    uid_t uid;
    struct reply *reply;
};

typedef bool member_reader(struct reader *, const char *key, void *into);

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static void skip_space(struct reader *reader) {
    while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at)) reader->at++;
}

static bool take(struct reader *reader, char byte) {
    if (reader->at == reader->end || *reader->at != byte) return false;
    reader->at++;
    return true;
}

// The next thing, after white space.
static bool is_next(struct reader *reader, char byte) {
    skip_space(reader);
    return reader->at < reader->end && *reader->at == byte;
}

static bool take_token(struct reader *reader, char byte) {
    return is_next(reader, byte) && take(reader, byte);
}

static bool take_word(struct reader *reader, const char *word) {
    skip_space(reader);
    const size_t count = strlen(word);
    if ((size_t)(reader->end - reader->at) < count || memcmp(reader->at, word, count) != 0)
        return false;
    reader->at += count;
    return true;
}

static bool take_hexadecimal(struct reader *reader, unsigned *unit) {
    *unit = 0;
    for (int digit = 0; digit < 4; digit++) {
        if (reader->at == reader->end) return false;
        const char byte = *reader->at++;
        const unsigned lower = (unsigned char)byte | 0x20;
        if (is_digit(byte)) *unit = *unit << 4 | (unsigned)(byte - '0');
        else if (lower >= 'a' && lower <= 'f') *unit = *unit << 4 | (lower - 'a' + 10);
        else return false;
    }
    return true;
}

// Of characters that a terminal may take for more than a character nothing is kept.
static char printable(unsigned character) {
    return character >= ' ' && character <= '~' ? (char)character : '?';
}

static bool take_escape(struct reader *reader, char *into) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/?? ? ";
    if (reader->at == reader->end) return false;
    const char byte = *reader->at++;
    unsigned unit;
    if (byte == 'u') {
        if (!take_hexadecimal(reader, &unit)) return false;
        // Each half of a pair is shown as one sign.
        *into = printable(unit);
        return true;
    }
    const char *found = byte ? strchr(names, byte) : NULL;
    if (!found) return false;
    *into = values[found - names];
    return true;
}

// `into`: `capacity` bytes, or NULL and 0 to skip it.
static bool take_string(struct reader *reader, char *into, size_t capacity) {
    size_t count = 0;
    if (!take_token(reader, '"')) return false;
    while (reader->at < reader->end && *reader->at != '"') {
        const unsigned char byte = (unsigned char)*reader->at++;
        char shown = printable(byte);
        if (byte < ' ' || (byte == '\\' && !take_escape(reader, &shown))) return false;
        // A longer one is as many signs as it has bytes.
        if (count + 1 < capacity) into[count++] = shown;
    }
    if (capacity > 0) into[count] = 0;
    return take(reader, '"');
}

static bool take_string_or_null(struct reader *reader, char *into, size_t capacity) {
    if (!is_next(reader, 'n')) return take_string(reader, into, capacity);
    into[0] = 0;
    return take_word(reader, "null");
}

static bool take_bool(struct reader *reader, bool *into) {
    *into = is_next(reader, 't');
    return take_word(reader, *into ? "true" : "false");
}

static bool take_integer(struct reader *reader, long long *into) {
    const bool is_negative = take_token(reader, '-');
    const char *start = reader->at;
    long long value = 0;
    while (reader->at < reader->end && is_digit(*reader->at)) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *reader->at - '0', &value))
            return false;
        reader->at++;
    }
    *into = is_negative ? -value : value;
    return reader->at > start;
}

static bool skip_digits(struct reader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && is_digit(*reader->at)) reader->at++;
    return reader->at > start;
}

static bool skip_number(struct reader *reader) {
    (void)take(reader, '-');
    if (!skip_digits(reader)) return false;
    if (take(reader, '.') && !skip_digits(reader)) return false;
    if (!take(reader, 'e') && !take(reader, 'E')) return true;
    if (!take(reader, '+')) (void)take(reader, '-');
    return skip_digits(reader);
}

static bool take_members(struct reader *reader, member_reader *read, void *into) {
    char key[MAXIMUM_TEXT];
    if (++reader->depth > MAXIMUM_DEPTH || !take_token(reader, '{')) return false;
    if (!is_next(reader, '}')) {
        do {
            if (!take_string(reader, key, sizeof key) || !take_token(reader, ':') ||
                !read(reader, key, into))
                return false;
        } while (take_token(reader, ','));
    }
    reader->depth--;
    return take_token(reader, '}');
}

// `key`: empty.
static bool take_elements(struct reader *reader, member_reader *read, void *into) {
    if (++reader->depth > MAXIMUM_DEPTH || !take_token(reader, '[')) return false;
    if (!is_next(reader, ']')) {
        do {
            if (!read(reader, "", into)) return false;
        } while (take_token(reader, ','));
    }
    reader->depth--;
    return take_token(reader, ']');
}

// A member_reader for what is of no interest.
static bool skip(struct reader *reader, const char *key, void *into) {
    (void)key;
    skip_space(reader);
    if (reader->at == reader->end) return false;
    switch (*reader->at) {
    case '{': return take_members(reader, skip, into);
    case '[': return take_elements(reader, skip, into);
    case '"': return take_string(reader, NULL, 0);
    case 't': return take_word(reader, "true");
    case 'f': return take_word(reader, "false");
    case 'n': return take_word(reader, "null");
    default: return skip_number(reader);
    }
}

struct found_account {
    struct account account;
    long long uid;
    bool is_unlocked, is_blocked;
};

static bool take_consequence(struct reader *reader, enum consequence *into) {
    text word;
    if (!take_string_or_null(reader, word, sizeof word)) return false;
    // One that is not known here is no better than those that are.
    *into = word[0] == 0 ? NONE : strcmp(word, "lockedOut") == 0 ? LOCKED_OUT : WIPED;
    return true;
}

static bool read_account_member(struct reader *reader, const char *key, void *into) {
    struct found_account *found = into;
    struct account *account = &found->account;
    text word;
    if (strcmp(key, "id") == 0) return take_string(reader, account->id, sizeof account->id);
    if (strcmp(key, "name") == 0) return take_string(reader, account->name, sizeof account->name);
    if (strcmp(key, "uid") == 0) return take_integer(reader, &found->uid);
    if (strcmp(key, "hasPassphrase") == 0) return take_bool(reader, &account->has_passphrase);
    if (strcmp(key, "retryAfterSeconds") == 0)
        return take_integer(reader, &account->retry_after_seconds);
    if (strcmp(key, "lastTry") == 0) return take_consequence(reader, &account->last_try);
    if (strcmp(key, "block") == 0) {
        if (!take_string_or_null(reader, word, sizeof word)) return false;
        found->is_blocked = word[0] != 0;
        return true;
    }
    if (strcmp(key, "state") == 0) {
        if (!take_string(reader, word, sizeof word)) return false;
        found->is_unlocked = strcmp(word, "unlocked") == 0;
        return true;
    }
    return skip(reader, key, NULL);
}

static bool read_account(struct reader *reader, const char *key, void *into) {
    struct found_account found = {.uid = -1};
    struct reply *reply = into;
    (void)key;
    if (!take_members(reader, read_account_member, &found)) return false;
    if (found.uid != (long long)reader->uid || reply->account_count == MAXIMUM_ACCOUNTS)
        return true;
    // It will stand in a call.
    if (strspn(found.account.id, "0123456789abcdef") != sizeof found.account.id - 1) return false;
    found.account.is_open = found.is_unlocked && !found.is_blocked;
    reply->accounts[reply->account_count++] = found.account;
    return true;
}

static bool read_parameter(struct reader *reader, const char *key, void *into) {
    struct reply *reply = into;
    if (strcmp(key, "accounts") == 0) return take_elements(reader, read_account, reply);
    if (strcmp(key, "reason") == 0)
        return take_string_or_null(reader, reply->reason, sizeof reply->reason);
    if (strcmp(key, "retryAfterSeconds") == 0)
        return take_integer(reader, &reply->retry_after_seconds);
    return skip(reader, key, NULL);
}

static bool read_error(struct reader *reader, struct reply *reply) {
    text name;
    if (!take_string(reader, name, sizeof name) || name[0] == 0) return false;
    const char *dot = strrchr(name, '.');
    memcpy(reply->error, dot ? dot + 1 : name, strlen(dot ? dot + 1 : name) + 1);
    return reply->error[0] != 0;
}

static bool read_reply_member(struct reader *reader, const char *key, void *into) {
    if (strcmp(key, "error") == 0) return read_error(reader, into);
    if (strcmp(key, "parameters") == 0) return take_members(reader, read_parameter, into);
    return skip(reader, key, NULL);
}

bool reply_read(const char *json, size_t count, uid_t uid, struct reply *reply) {
    struct reader reader = {json, json + count, 0, uid, reply};
    memset(reply, 0, sizeof *reply);
    if (!take_members(&reader, read_reply_member, reply)) return false;
    skip_space(&reader);
    return reader.at == reader.end;
}
