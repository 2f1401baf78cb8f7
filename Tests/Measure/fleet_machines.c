// One process that is many machines of an organisation, to measure what carries their documents.
//
//   cc -O2 -o fleet_machines Tests/Measure/fleet_*.c -lssl -lcrypto -lsodium
//   fleet_machines SETTINGS EVENTS
//
// Each machine has a connection of its own over TLS, with its own key, gets the bundles after each
// connect, verifies every document, and connects again by itself. SETTINGS has one per line:
//
//   organization HEX | server HOST PORT | ca FILE | key ROLE HEX | threshold ROLE N
//   spread S | most S | ping S | refresh S | tickets 0|1
//   machine ID GROUP TRANSPORT-SEED-HEX KEY-SEED-HEX CLOCK-OFFSET JWT
//
// EVENTS gets one per line: nanoseconds of the monotonic clock, what, the machine's number:
// t attempt, c connected, b all bundles got (bytes, askings), d document and o order accepted
// (fingerprint, serial, name), r refused (why), p report sent, s report stored, l connection lost,
// e error. Commands come on standard input: `status`, `drop N`, `pause`, `resume`, `quit`.

#include "fleet_machines.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *role_names[ROLES] = {"root", "policy", "order", "time"};
static FILE *events;
static Machine *machines;
static int machine_count;
static Trust trust;
static char ca_file[512];
static bool is_paused;

int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

double fraction(void) { return random() / 2147483648.0; }

void event(const Machine *machine, char what, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(events, "%lld %c %d ", (long long)monotonic(), what, machine->index);
    vfprintf(events, format, arguments);
    fputc('\n', events);
    va_end(arguments);
}

void append(Buffer *buffer, const void *bytes, size_t count) {
    if (buffer->count + count > buffer->capacity) {
        buffer->capacity = 2 * (buffer->count + count);
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (!buffer->bytes) abort();
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

static void die(const char *what) {
    fprintf(stderr, "fleet_machines: %s\n", what);
    exit(1);
}

// MARK: Settings

static int role(const char *name) {
    for (int i = 0; i < ROLES; i++)
        if (!strcmp(name, role_names[i])) return i;
    die("no such role");
    return 0;
}

static void read_key(const char *hex, unsigned char secret[64]) {
    unsigned char seed[32], public[32];
    sodium_hex2bin(seed, 32, hex, strlen(hex), NULL, NULL, NULL);
    crypto_sign_seed_keypair(public, secret, seed);
}

static void add_machine(char *line) {
    if (machine_count % 1024 == 0)
        machines = realloc(machines, (machine_count + 1024) * sizeof *machines);
    Machine *machine = memset(&machines[machine_count], 0, sizeof *machine);
    char transport[65], key[65];
    long offset;
    int jwt;
    if (sscanf(line, "machine %32s %63s %64s %64s %ld %n", machine->id, machine->group, transport,
               key, &offset, &jwt) != 5)
        die("a machine is incomplete");
    read_key(transport, machine->transport);
    read_key(key, machine->key);
    machine->clock_offset = offset;
    machine->jwt = strdup(line + jwt);
    machine->index = machine_count++;
    machine->descriptor = machine->server = -1;
}

static void read_setting(char *line) {
    char name[16] = "", one[512] = "", two[128] = "";
    if (!strncmp(line, "machine ", 8)) return add_machine(line);
    sscanf(line, "%15s %511s %127s", name, one, two);
    if (!strcmp(name, "organization")) snprintf(trust.organization, 33, "%.32s", one);
    else if (!strcmp(name, "ca")) snprintf(ca_file, sizeof ca_file, "%s", one);
    else if (!strcmp(name, "server") && network.server_count < 8) {
        int at = network.server_count++;
        snprintf(network.servers[at].host, 64, "%.63s", one);
        network.servers[at].port = atoi(two);
    } else if (!strcmp(name, "key") && trust.count[role(one)] < ROLE_KEYS)
        sodium_hex2bin(trust.keys[role(one)][trust.count[role(one)]++], 32, two, strlen(two), NULL,
                       NULL, NULL);
    else if (!strcmp(name, "threshold")) trust.threshold[role(one)] = atoi(two);
    else if (!strcmp(name, "spread")) network.spread = atof(one);
    else if (!strcmp(name, "most")) network.most = atof(one);
    else if (!strcmp(name, "ping")) network.ping = atof(one);
    else if (!strcmp(name, "refresh")) network.refresh = atof(one);
    else if (!strcmp(name, "tickets")) network.tickets = atoi(one);
    else die("an unknown setting");
}

static void read_settings(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) die("no settings");
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t count; (count = getline(&line, &capacity, file)) > 0;) {
        if (line[count - 1] == '\n') line[count - 1] = 0;
        read_setting(line);
    }
    free(line);
    fclose(file);
    for (int i = 0; i < ROLES; i++)
        if (trust.threshold[i] < 1) die("a role without a threshold");
}

// MARK: TLS

static int keep_ticket(SSL *tls, SSL_SESSION *session) {
    Machine *machine = SSL_get_app_data(tls);
    if (!network.tickets) return 0;
    SSL_SESSION_free(machine->ticket);
    machine->ticket = session;
    return 1;
}

static SSL_CTX *context(long clock_offset) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (!SSL_CTX_load_verify_locations(context, ca_file, NULL)) die("no certificate authority");
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
    if (clock_offset) X509_VERIFY_PARAM_set_time(parameters, time(NULL) + clock_offset);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, network.tickets
                                                ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                                                : SSL_SESS_CACHE_OFF);
    SSL_CTX_sess_set_new_cb(context, keep_ticket);
    if (!network.tickets) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    return context;
}

// MARK: The loop

static void obey_command(char *line) {
    int number = 0;
    if (!strncmp(line, "quit", 4)) exit(fclose(events) != 0);
    if (!strncmp(line, "pause", 5)) is_paused = true;
    if (!strncmp(line, "resume", 6)) is_paused = false;
    for (int i = 0; i < machine_count; i++) {
        Machine *machine = &machines[i];
        if (!strncmp(line, "status", 6)) publish_status(machine, &trust);
        if (!strncmp(line, "pause", 5)) lose(machine, "paused");
        if (!strncmp(line, "resume", 6))
            machine->attempts = 0,
            machine->due = monotonic() + (int64_t)(network.spread * 1e9 * fraction());
        if (sscanf(line, "drop %d", &number) == 1 && i < number) lose(machine, "dropped");
    }
}

static void read_commands(void) {
    static Buffer commands;
    char bytes[256];
    ssize_t count = read(0, bytes, sizeof bytes);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) exit(fclose(events) != 0);
    append(&commands, bytes, count);
    for (char *end; (end = memchr(commands.bytes, '\n', commands.count));) {
        *end = 0;
        obey_command(commands.bytes);
        commands.count -= end + 1 - commands.bytes;
        memmove(commands.bytes, end + 1, commands.count);
    }
}

static void loop(void) {
    static struct epoll_event ready[512];
    int64_t tick = 0;
    for (;;) {
        int count = epoll_wait(network.poll, ready, 512, 10);
        for (int i = 0; i < count; i++) {
            Machine *machine = ready[i].data.ptr;
            if (!machine) read_commands();
            else if (machine->descriptor >= 0)
                advance(machine, &trust, ready[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR));
        }
        int64_t now = monotonic();
        if (now - tick > 10000000 && !is_paused) {
            tick = now;
            for (int i = 0; i < machine_count; i++) on_timer(&machines[i], now);
        }
        fflush(events);
    }
}

int main(int count, char **arguments) {
    if (count != 3 || sodium_init() < 0) die("fleet_machines SETTINGS EVENTS");
    signal(SIGPIPE, SIG_IGN);
    read_settings(arguments[1]);
    if (!(events = fopen(arguments[2], "we"))) die("no events");
    setvbuf(events, NULL, _IOFBF, 1 << 20);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < (rlim_t)machine_count + 100) die("too few descriptors (RLIMIT_NOFILE)");
    for (int i = 0; i < 3; i++) network.tls[i] = context((i - 1) * 86400L);
    network.poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = NULL};
    fcntl(0, F_SETFL, O_NONBLOCK);
    epoll_ctl(network.poll, EPOLL_CTL_ADD, 0, &interest);
    srandom(getpid());
    for (int i = 0; i < machine_count; i++)
        machines[i].due = monotonic() + (int64_t)(network.spread * 1e9 * fraction());
    printf("%d machines\n", machine_count);
    fflush(stdout);
    loop();
}
