// What a machine believes, written from docs/adr/0056 without mamd's code.

#include "fleet_machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// MARK: JSON, of which only the ends of values and the members of objects are needed

static const char *skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

// One past the value that begins here; null if it does not end.
static const char *skip_value(const char *at, const char *end) {
    int depth = 0;
    for (at = skip_space(at, end); at < end; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++) at += *at == '\\';
            if (at >= end) return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']' || *at == ',') {
            if (depth == 0) return at;
            if (*at != ',' && --depth == 0) return at + 1;
            continue;
        }
        if (depth == 0 && *at == '"') return at + 1;
    }
    return NULL;
}

static bool next_element(const char **at, const char *end, Text *element) {
    *at = skip_space(*at, end);
    if (*at < end && **at == ',') *at = skip_space(*at + 1, end);
    if (*at >= end || **at == ']' || **at == '}') return false;
    const char *after = skip_value(*at, end);
    if (!after) return false;
    *element = (Text){*at, after - *at};
    *at = after;
    return true;
}

// The value of an object's member, a text's without its quotation marks.
static bool member(Text object, const char *name, Text *value) {
    const char *end = object.at + object.count, *at = skip_space(object.at, end);
    if (at >= end || *at != '{') return false;
    at++;
    Text key;
    while (next_element(&at, end, &key)) {
        at = skip_space(at, end);
        if (at >= end || *at != ':') return false;
        at = skip_space(at + 1, end);
        const char *after = skip_value(at, end);
        if (!after) return false;
        if (key.count == strlen(name) + 2 && !memcmp(key.at + 1, name, key.count - 2)) {
            bool is_text = *at == '"';
            *value = (Text){at + is_text, after - at - 2 * is_text};
            return true;
        }
        at = after;
    }
    return false;
}

static bool is(Text text, const char *other) {
    return text.count == strlen(other) && !memcmp(text.at, other, text.count);
}

static unsigned char *decoded(Text base64, size_t *count) {
    unsigned char *bytes = malloc(base64.count + 1);
    if (sodium_base642bin(bytes, base64.count, base64.at, base64.count, NULL, count, NULL,
                          sodium_base64_VARIANT_ORIGINAL)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int64_t seconds_of(Text rfc3339) {
    char copy[21] = {0};
    struct tm parts = {0};
    if (rfc3339.count != 20) return 0;
    memcpy(copy, rfc3339.at, 20);
    return strptime(copy, "%Y-%m-%dT%H:%M:%SZ", &parts) ? timegm(&parts) : 0;
}

// MARK: Documents

typedef struct {
    int role;
    bool is_membership;
    Text type, statement, content;
    unsigned char fingerprint[32];
} Document;

static bool read_type(Text type, Document *document) {
    static const char *kinds[] = {"root", "policy", "order", "time", "membership"};
    for (int kind = 0; kind < 5; kind++) {
        char expected[64];
        snprintf(expected, sizeof expected, "application/vnd.mamd.%s+json", kinds[kind]);
        if (!is(type, expected)) continue;
        document->role = kind == 4 ? POLICY : kind;
        document->is_membership = kind == 4;
        document->type = type;
        return true;
    }
    return false;
}

// How many different keys of the role have signed, over DSSE's pre-authentication encoding.
static int signers(const Trust *trust, Document *document, Text signatures) {
    size_t capacity = document->statement.count + 128;
    char *message = malloc(capacity);
    int head = snprintf(message, capacity, "DSSEv1 %zu %.*s %zu ", document->type.count,
                        (int)document->type.count, document->type.at, document->statement.count);
    memcpy(message + head, document->statement.at, document->statement.count);
    size_t count = head + document->statement.count;
    crypto_hash_sha256(document->fingerprint, (unsigned char *)message, count);
    unsigned seen = 0;
    const char *at = signatures.at + 1, *end = signatures.at + signatures.count;
    for (Text one; next_element(&at, end, &one);) {
        Text text;
        unsigned char bytes[64];
        size_t size;
        if (!member(one, "sig", &text) ||
            sodium_base642bin(bytes, 64, text.at, text.count, NULL, &size, NULL,
                              sodium_base64_VARIANT_ORIGINAL) ||
            size != 64)
            continue;
        for (int key = 0; key < trust->count[document->role]; key++)
            if (!(seen & 1u << key) &&
                !crypto_sign_verify_detached(bytes, (unsigned char *)message, count,
                                             trust->keys[document->role][key]))
                seen |= 1u << key;
    }
    free(message);
    return __builtin_popcount(seen);
}

static bool is_for(const Machine *machine, Text audience) {
    char own[128];
    if (is(audience, "all")) return true;
    snprintf(own, sizeof own, "machine:%s", machine->id);
    if (is(audience, own)) return true;
    snprintf(own, sizeof own, "group:%s", machine->group);
    return is(audience, own);
}

static bool is_of(Text content, Text digest) {
    unsigned char found[32];
    char hex[65];
    crypto_hash_sha256(found, (const unsigned char *)content.at, content.count);
    return is(digest, sodium_bin2hex(hex, sizeof hex, found, 32));
}

// Null if it is new, else why it is not taken.
static const char *obey(Machine *machine, Text name) {
    unsigned char nonce[16];
    size_t count;
    if (sodium_hex2bin(nonce, 16, name.at, name.count, NULL, &count, NULL) || count != 16)
        return "nonce";
    for (int i = 0; i < machine->nonce_count; i++)
        if (!memcmp(machine->nonces[i], nonce, 16)) return "known";
    machine->nonces = realloc(machine->nonces, 16 * (machine->nonce_count + 1));
    memcpy(machine->nonces[machine->nonce_count++], nonce, 16);
    return NULL;
}

// Of a slot the highest serial counts, for ever.
static const char *keep(Machine *machine, int role, Text audience, Text name, int64_t serial) {
    uint64_t id = 0;
    unsigned char key[crypto_shorthash_KEYBYTES] = {role}, digest[8];
    char text[256];
    int count = snprintf(text, sizeof text, "%.*s/%.*s", (int)audience.count, audience.at,
                         (int)name.count, name.at);
    crypto_shorthash(digest, (unsigned char *)text, count, key);
    memcpy(&id, digest, 8);
    for (int i = 0; i < SLOTS; i++) {
        if (machine->slots[i].name && machine->slots[i].name != id) continue;
        if (serial == machine->slots[i].serial) return "known";
        if (serial < machine->slots[i].serial) return "older";
        machine->slots[i].name = id;
        machine->slots[i].serial = serial;
        return NULL;
    }
    return "slots";
}

static const char *judge(Machine *machine, const Trust *trust, Document *document, Text signatures,
                         int64_t *serial, Text *name) {
    Text organization, audience, digest, text;
    if (signers(trust, document, signatures) < trust->threshold[document->role]) return "unsigned";
    if (!member(document->statement, "organization", &organization) ||
        !member(document->statement, "audience", &audience) ||
        !member(document->statement, "name", name) ||
        !member(document->statement, "serial", &text) ||
        !member(document->statement, "sha256", &digest))
        return "malformed";
    *serial = strtoll(text.at, NULL, 10);
    if (!is(organization, trust->organization)) return "organization";
    if (!is_for(machine, audience)) return "audience";
    if (!is_of(document->content, digest)) return "content";
    if (document->role != ROOT && member(document->statement, "expires", &text) &&
        seconds_of(text) <= time(NULL) + machine->clock_offset)
        return "expired";
    return document->role == ORDER ? obey(machine, *name)
                                   : keep(machine, document->role + 4 * document->is_membership,
                                          audience, *name, *serial);
}

// False if it is older than one that is known.
static bool take_envelope(Machine *machine, const Trust *trust, Text envelope) {
    Text type, payload, content, signatures, name = {0};
    Document document = {0};
    if (!member(envelope, "payloadType", &type) || !member(envelope, "payload", &payload) ||
        !member(envelope, "content", &content) || !member(envelope, "signatures", &signatures) ||
        !signatures.count || !read_type(type, &document)) {
        event(machine, 'r', "malformed");
        return true;
    }
    unsigned char *statement = decoded(payload, &document.statement.count);
    unsigned char *bytes = decoded(content, &document.content.count);
    const char *why = "malformed";
    int64_t serial = 0;
    if (statement && bytes) {
        document.statement.at = (char *)statement;
        document.content.at = (char *)bytes;
        why = judge(machine, trust, &document, signatures, &serial, &name);
        char hex[33];
        sodium_bin2hex(hex, sizeof hex, document.fingerprint, 16);
        if (!why)
            event(machine, document.role == ORDER ? 'o' : 'd', "%s %lld %.*s", hex,
                  (long long)serial, (int)name.count, name.at);
    }
    if (why && strcmp(why, "known")) event(machine, 'r', "%s", why);
    free(statement);
    free(bytes);
    return !why || strcmp(why, "older");
}

bool take_bundle(Machine *machine, const Trust *trust, Text bundle) {
    const char *end = bundle.at + bundle.count, *at = skip_space(bundle.at, end);
    if (at >= end || *at != '[') {
        event(machine, 'r', "malformed");
        return true;
    }
    at++;
    bool is_fresh = true;
    for (Text envelope; next_element(&at, end, &envelope);)
        is_fresh &= take_envelope(machine, trust, envelope);
    return is_fresh;
}

// MARK: Reports

// A status report of the usual size, signed by the machine's key.
size_t write_report(Machine *machine, const Trust *trust, char *into, size_t capacity) {
    static const char type[] = "application/vnd.mamd.status+json";
    char payload[2048], message[2304], base64[3072], signature[96], keyid[33], issued[32];
    unsigned char signed_bytes[64], digest[32];
    time_t now = time(NULL) + machine->clock_offset;
    strftime(issued, sizeof issued, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    int count = snprintf(
        payload, sizeof payload,
        "{\"organization\":\"%s\",\"machine\":\"%s\",\"issued\":\"%s\",\"sequence\":%ld,"
        "\"version\":\"1.0.0\",\"host\":\"machine-%d\",\"workspace\":\"home\",\"rootSerial\":1,"
        "\"documents\":{\"policy/all/level.json\":%lld},\"problem\":null,\"pending\":0,"
        "\"obeyed\":[],\"accounts\":[{\"id\":\"%s\",\"name\":\"person-%d@contoso.com\","
        "\"objectId\":\"%s\",\"window\":\"open\",\"blockedBy\":[],\"compliant\":true,"
        "\"level\":2,\"checkedIn\":\"%s\",\"lastUse\":\"%s\",\"files\":1234}],"
        "\"verify\":{\"time\":\"%s\",\"findings\":0},\"refused\":3,\"contained\":true,"
        "\"kernel\":\"6.18.0\",\"mounted\":true}",
        trust->organization, machine->id, issued, ++machine->reports, machine->index,
        (long long)machine->slots[0].serial, machine->id, machine->index, machine->id, issued,
        issued, issued);
    int size = snprintf(message, sizeof message, "DSSEv1 %zu %s %d %s", sizeof type - 1, type,
                        count, payload);
    crypto_sign_detached(signed_bytes, NULL, (unsigned char *)message, size, machine->key);
    crypto_hash_sha256(digest, machine->key + 32, 32);
    sodium_bin2base64(base64, sizeof base64, (unsigned char *)payload, count,
                      sodium_base64_VARIANT_ORIGINAL);
    sodium_bin2base64(signature, sizeof signature, signed_bytes, 64,
                      sodium_base64_VARIANT_ORIGINAL);
    return snprintf(into, capacity,
                    "{\"payloadType\":\"%s\",\"payload\":\"%s\",\"signatures\":[{\"keyid\":\"%s\","
                    "\"sig\":\"%s\"}]}",
                    type, base64, sodium_bin2hex(keyid, sizeof keyid, digest, 16), signature);
}
