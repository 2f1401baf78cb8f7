// One process that is many machines of an organisation: see fleet_machines.c.
#pragma once

#include <openssl/ssl.h>
#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS 16
#define ROLE_KEYS 8
#define BUNDLES 5

typedef struct {
    const char *at;
    size_t count;
} Text;

typedef struct {
    char *bytes;
    size_t count, capacity;
} Buffer;

// The kinds of documents, as their roles: a membership is signed by a policy key.
enum { ROOT, POLICY, ORDER, TIME, ROLES };

typedef struct {
    char organization[33];
    int count[ROLES], threshold[ROLES];
    unsigned char keys[ROLES][ROLE_KEYS][32];
} Trust;

typedef enum { AWAY, CONNECTING, GREETED, ENCRYPTING, ASKING, CONNECTED } Stage;

typedef struct {
    int index;
    char id[33], group[64];
    char *jwt;
    unsigned char transport[64], key[64];
    int64_t clock_offset;

    int descriptor, server;
    SSL *tls;
    SSL_SESSION *ticket;
    Stage stage;
    bool wants_write;
    Buffer in, out;
    char nonce[128];
    // Of the monotonic clock, in nanoseconds: when it next connects or is given up, pings, asks.
    int64_t due, ping_due, ask_due, refresh_due;
    int attempts, pings, refreshes;
    bool is_stale, owes_report;
    unsigned got, asks;
    uint64_t received;

    struct {
        uint64_t name;
        int64_t serial;
    } slots[SLOTS];
    unsigned char (*nonces)[16];
    int nonce_count;
    long reports;
} Machine;

// fleet_documents.c
bool take_bundle(Machine *machine, const Trust *trust, Text bundle);
size_t write_report(Machine *machine, const Trust *trust, char *into, size_t capacity);

// fleet_protocol.c
typedef struct {
    int server_count;
    struct {
        char host[64];
        int port;
    } servers[8];
    SSL_CTX *tls[3]; // clocks a day behind, right, a day ahead
    bool tickets;
    int poll;
    double spread, most, ping, refresh;
} Network;

extern Network network;
void attempt(Machine *machine, int64_t now);
void advance(Machine *machine, const Trust *trust, bool readable);
void on_timer(Machine *machine, int64_t now);
void lose(Machine *machine, const char *why);
void publish_status(Machine *machine, const Trust *trust);

// fleet_machines.c
int64_t monotonic(void);
void event(const Machine *machine, char what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void append(Buffer *buffer, const void *bytes, size_t count);
double fraction(void);
