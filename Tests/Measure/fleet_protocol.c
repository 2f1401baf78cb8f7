// A machine's connection: the NATS protocol over TLS, and when it is made again.

#include "fleet_machines.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define CONNECT_SECONDS 15
#define READ_SIZE 16384
#define MOVE 4 // refreshes
#define MOST_MESSAGE (4 << 20)

Network network = {.spread = 10, .most = 30, .ping = 60, .refresh = 600};

static const char *bundles[BUNDLES] = {"docs.roots", "docs.all", "docs.m.", "docs.g.", "docs.time"};

static int64_t later(int64_t now, double seconds) { return now + (int64_t)(seconds * SECOND); }

// MARK: Losing and making a connection

// The first attempt after a loss is within the spread, each further one within twice the time.
static void schedule(Machine *machine) {
    double most = network.spread * (1 << (machine->attempts < 6 ? machine->attempts : 6));
    if (most > network.most && network.most > network.spread) most = network.most;
    machine->due = later(monotonic(), most * fraction());
    machine->attempts++;
}

void lose(Machine *machine, const char *why) {
    if (machine->stage != AWAY) event(machine, 'l', "%d %s", machine->stage, why);
    if (machine->tls) {
        // As libraries do that know no clean end: the session may be resumed.
        SSL_set_quiet_shutdown(machine->tls, 1);
        SSL_shutdown(machine->tls);
        SSL_free(machine->tls);
    }
    if (machine->descriptor >= 0) close(machine->descriptor);
    free(machine->in.bytes);
    free(machine->out.bytes);
    machine->in = machine->out = (Buffer){0};
    machine->tls = NULL;
    machine->descriptor = -1;
    machine->stage = AWAY;
    machine->wants_write = false;
    machine->pings = 0;
    schedule(machine);
}

void attempt(Machine *machine, int64_t now) {
    int other = network.server_count > 1 ? random() % (network.server_count - 1) : 0;
    // Any at first, then another one than the last.
    machine->server = machine->server < 0 ? random() % network.server_count
                                          : (machine->server + 1 + other) % network.server_count;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(network.servers[machine->server].port)};
    inet_pton(AF_INET, network.servers[machine->server].host, &address.sin_addr);
    machine->due = later(now, CONNECT_SECONDS);
    machine->stage = CONNECTING;
    machine->received = 0;
    event(machine, 't', "%d", machine->server);
    machine->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (machine->descriptor < 0) return lose(machine, "socket");
    int on = 1;
    setsockopt(machine->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(machine->descriptor, (struct sockaddr *)&address, sizeof address) &&
        errno != EINPROGRESS)
        return lose(machine, strerror(errno));
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = machine};
    if (epoll_ctl(network.poll, EPOLL_CTL_ADD, machine->descriptor, &interest))
        lose(machine, "epoll");
}

// MARK: Writing

static void wait_to_write(Machine *machine, bool wants) {
    if (machine->wants_write == wants) return;
    machine->wants_write = wants;
    struct epoll_event interest = {.events = EPOLLIN | (wants ? EPOLLOUT : 0), .data.ptr = machine};
    epoll_ctl(network.poll, EPOLL_CTL_MOD, machine->descriptor, &interest);
}

static void flush(Machine *machine) {
    Buffer *out = &machine->out;
    while (out->count) {
        int count = SSL_write(machine->tls, out->bytes, out->count);
        if (count <= 0) {
            int why = SSL_get_error(machine->tls, count);
            ERR_clear_error();
            if (why != SSL_ERROR_WANT_WRITE && why != SSL_ERROR_WANT_READ)
                return lose(machine, "write");
            return wait_to_write(machine, true);
        }
        memmove(out->bytes, out->bytes + count, out->count - count);
        out->count -= count;
    }
    free(out->bytes);
    *out = (Buffer){0};
    wait_to_write(machine, false);
}

static void send_text(Machine *machine, const char *text, size_t count) {
    append(&machine->out, text, count);
}

#define SEND(machine, ...) \
    do { \
        char line_[4096]; \
        int count_ = snprintf(line_, sizeof line_, __VA_ARGS__); \
        send_text(machine, line_, count_); \
    } while (0)

static void subject_of(const Machine *machine, int bundle, char into[128]) {
    snprintf(into, 128, "%s%s", bundles[bundle],
             bundle == 2   ? machine->id
             : bundle == 3 ? machine->group
                           : "");
}

// Direct gets of the last message: no consumer, and any replica answers.
static void ask(Machine *machine, unsigned which) {
    machine->asks++;
    for (int i = 0; i < BUNDLES; i++) {
        if (!(which & 1u << i)) continue;
        char subject[128];
        subject_of(machine, i, subject);
        SEND(machine, "PUB $JS.API.DIRECT.GET.DOCS.%s _INBOX.%s.%d 0\r\n\r\n", subject, machine->id,
             i);
    }
    machine->ask_due = later(monotonic(), 2 + 3 * fraction());
}

static void introduce(Machine *machine) {
    unsigned char signature[64];
    char text[96];
    crypto_sign_detached(signature, NULL, (unsigned char *)machine->nonce, strlen(machine->nonce),
                         machine->transport);
    sodium_bin2base64(text, sizeof text, signature, 64, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    static const char head[] =
        "CONNECT {\"verbose\":false,\"pedantic\":false,\"tls_required\":true,\"headers\":true,"
        "\"no_responders\":true,\"protocol\":1,\"lang\":\"c\",\"version\":\"1\",\"jwt\":\"";
    send_text(machine, head, sizeof head - 1);
    send_text(machine, machine->jwt, strlen(machine->jwt));
    SEND(machine, "\",\"sig\":\"%s\"}\r\n", text);
    for (int i = 0; i < BUNDLES; i++) {
        char subject[128];
        subject_of(machine, i, subject);
        SEND(machine, "SUB %s %d\r\n", subject, i + 1);
    }
    SEND(machine, "SUB _INBOX.%s.> 9\r\nPING\r\n", machine->id);
    machine->stage = ASKING;
    flush(machine);
}

void publish_status(Machine *machine, const Trust *trust) {
    char report[8192];
    machine->owes_report = true; // until it is stored, over any number of connections
    if (machine->stage != CONNECTED) return;
    size_t count = write_report(machine, trust, report, sizeof report);
    SEND(machine, "PUB status.%s _INBOX.%s.s %zu\r\n", machine->id, machine->id, count);
    send_text(machine, report, count);
    send_text(machine, "\r\n", 2);
    event(machine, 'p', "%ld", machine->reports);
    flush(machine);
}

// MARK: Reading

static void on_answer(Machine *machine, const Trust *trust, char which, Text head, Text payload) {
    if (which == 's') {
        bool is_stored = memmem(payload.at, payload.count, "\"seq\"", 5);
        machine->owes_report &= !is_stored;
        event(machine, is_stored ? 's' : 'S', "%ld", machine->reports);
        return;
    }
    unsigned bundle = 1u << (which - '0');
    if (which < '0' || which >= '0' + BUNDLES) return;
    bool has_status = head.count > 10 && head.at[8] == ' ';
    if (has_status && strncmp(head.at + 9, "404", 3)) return; // asked again later
    // A replica that is behind: the next refresh is another server's.
    if (!has_status && !take_bundle(machine, trust, payload)) machine->is_stale = true;
    if (machine->got & bundle) return;
    machine->got |= bundle;
    if (machine->got != (1u << BUNDLES) - 1) return;
    machine->ask_due = INT64_MAX;
    event(machine, 'b', "%llu %u", (unsigned long long)machine->received, machine->asks);
}

static void on_message(Machine *machine, const Trust *trust, Text subject, Text head, Text body) {
    if (subject.count > 7 && !memcmp(subject.at, "_INBOX.", 7))
        on_answer(machine, trust, subject.at[subject.count - 1], head, body);
    else take_bundle(machine, trust, body);
}

// (H)MSG subject sid [reply] [head] total. False if more must be read, or nothing is left to read.
static bool read_message(Machine *machine, const Trust *trust, char *line, char *end, char *limit,
                         size_t *used) {
    char *words[6], *state = NULL;
    int count = 0;
    size_t line_size = end + 2 - line;
    char copy[1024];
    if (line_size > sizeof copy) return lose(machine, "line"), false;
    memcpy(copy, line, end - line);
    copy[end - line] = 0;
    for (char *word = strtok_r(copy, " ", &state); word && count < 6;
         word = strtok_r(NULL, " ", &state))
        words[count++] = word;
    bool has_head = copy[0] == 'H';
    if (count < 4 + has_head) return lose(machine, "message"), false;
    size_t total = strtoul(words[count - 1], NULL, 10);
    size_t head = has_head ? strtoul(words[count - 2], NULL, 10) : 0;
    if (total > MOST_MESSAGE || head > total) return lose(machine, "size"), false;
    if ((size_t)(limit - line) < line_size + total + 2) return false;
    char *body = end + 2;
    *used += line_size + total + 2;
    on_message(machine, trust, (Text){words[1], strlen(words[1])}, (Text){body, head},
               (Text){body + head, total - head});
    return machine->stage != AWAY;
}

static void on_pong(Machine *machine, const Trust *trust) {
    int64_t now = monotonic();
    machine->pings = 0;
    if (machine->stage != ASKING) return;
    machine->stage = CONNECTED;
    machine->attempts = 0;
    machine->got = machine->asks = 0;
    machine->ping_due = later(now, network.ping * (0.5 + fraction()));
    machine->refresh_due = later(now, network.refresh * (0.5 + fraction()));
    event(machine, 'c', "%d %d", machine->server, SSL_session_reused(machine->tls));
    ask(machine, (1u << BUNDLES) - 1);
    if (machine->owes_report) publish_status(machine, trust);
}

// False if more must be read, or the connection is lost.
static bool read_line(Machine *machine, const Trust *trust, char *line, char *limit, size_t *used) {
    char *end = memmem(line, limit - line, "\r\n", 2);
    if (!end) return false;
    if (!strncmp(line, "MSG ", 4) || !strncmp(line, "HMSG ", 5))
        return read_message(machine, trust, line, end, limit, used);
    *used += end + 2 - line;
    if (!strncmp(line, "PING", 4)) send_text(machine, "PONG\r\n", 6);
    else if (!strncmp(line, "PONG", 4)) on_pong(machine, trust);
    else if (!strncmp(line, "-ERR", 4)) {
        *end = 0;
        bool is_minor = strstr(line, "Permissions Violation") != NULL;
        if (is_minor) event(machine, 'e', "%s", line);
        else lose(machine, line);
    }
    return machine->stage != AWAY;
}

static void read_lines(Machine *machine, const Trust *trust) {
    size_t used = 0;
    Buffer *in = &machine->in;
    while (used < in->count &&
           read_line(machine, trust, in->bytes + used, in->bytes + in->count, &used)) {
    }
    if (machine->stage == AWAY) return;
    memmove(in->bytes, in->bytes + used, in->count - used);
    in->count -= used;
    if (!in->count) {
        free(in->bytes);
        *in = (Buffer){0};
    }
    if (machine->out.count) flush(machine);
}

static void read_encrypted(Machine *machine, const Trust *trust) {
    char bytes[READ_SIZE];
    for (int rounds = 0; rounds < 16 && machine->stage != AWAY; rounds++) {
        int count = SSL_read(machine->tls, bytes, sizeof bytes);
        if (count <= 0) {
            int why = SSL_get_error(machine->tls, count);
            ERR_clear_error();
            if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) lose(machine, "read");
            return;
        }
        machine->received += count;
        append(&machine->in, bytes, count);
        read_lines(machine, trust);
    }
}

// The greeting is in clear text, and all that a server sends before TLS.
static void read_greeting(Machine *machine) {
    char bytes[4096];
    ssize_t count = recv(machine->descriptor, bytes, sizeof bytes - 1, 0);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        return lose(machine, count ? strerror(errno) : "greeting");
    }
    append(&machine->in, bytes, count);
    append(&machine->in, "", 1);
    char *text = machine->in.bytes, *nonce = strstr(text, "\"nonce\":\"");
    machine->in.count--;
    if (!strstr(text, "\r\n")) return;
    if (!nonce || sscanf(nonce + 9, "%127[^\"]", machine->nonce) != 1)
        return lose(machine, "no nonce");
    machine->in.count = 0;
    machine->tls = SSL_new(
        network.tls[1 + (machine->clock_offset > 0) - (machine->clock_offset < 0)]);
    SSL_set_fd(machine->tls, machine->descriptor);
    SSL_set_app_data(machine->tls, machine);
    SSL_set1_host(machine->tls, "engine.test");
    if (machine->ticket) SSL_set_session(machine->tls, machine->ticket);
    machine->stage = ENCRYPTING;
}

static void handshake(Machine *machine) {
    int done = SSL_connect(machine->tls);
    if (done == 1) return introduce(machine);
    int why = SSL_get_error(machine->tls, done);
    if (why == SSL_ERROR_WANT_READ) return wait_to_write(machine, false);
    if (why == SSL_ERROR_WANT_WRITE) return wait_to_write(machine, true);
    char text[160];
    ERR_error_string_n(ERR_get_error(), text, sizeof text);
    ERR_clear_error();
    lose(machine, text);
}

void advance(Machine *machine, const Trust *trust, bool readable) {
    if (machine->stage == CONNECTING && readable) machine->stage = GREETED;
    if (machine->stage == GREETED && readable) read_greeting(machine);
    if (machine->stage == ENCRYPTING) handshake(machine);
    if (machine->stage >= ASKING && machine->wants_write) flush(machine);
    if (machine->stage >= ASKING) read_encrypted(machine, trust);
}

// MARK: Time

// To another server now and then, and from one whose replica is behind: nothing else tells a
// machine that its server is cut off from the others.
static void refresh(Machine *machine, int64_t now) {
    if (machine->is_stale || ++machine->refreshes % MOVE == 0) {
        machine->is_stale = false;
        lose(machine, "moves on");
        machine->attempts = 0;
        machine->due = now;
        return;
    }
    machine->refresh_due = later(now, network.refresh * (0.5 + fraction()));
    machine->got = machine->asks = 0;
    machine->ask_due = now;
}

void on_timer(Machine *machine, int64_t now) {
    if (machine->stage == AWAY) {
        if (now >= machine->due) attempt(machine, now);
        return;
    }
    if (machine->stage != CONNECTED) {
        if (now >= machine->due) lose(machine, "timeout");
        return;
    }
    if (now >= machine->refresh_due) refresh(machine, now);
    if (machine->stage != CONNECTED) return;
    if (now >= machine->ask_due) ask(machine, ~machine->got);
    if (now >= machine->ping_due) {
        if (machine->pings++ >= 2) return lose(machine, "stale");
        machine->ping_due = later(now, network.ping);
        send_text(machine, "PING\r\n", 6);
    }
    if (machine->out.count && !machine->wants_write) flush(machine);
}
