// Chooses the threads that read the next request (the leader/followers pattern).
//
// Waking a thread on another CPU costs more than serving most requests, and the kernel wakes
// readers in turn, each with cold caches. So few threads lead: a leader reads, serves short
// requests itself, and reads again. Its followers wait here instead of in the kernel. A leader
// resigns before a request that may take long. If a request takes long unexpectedly, the monitor,
// the one follower with a timeout, replaces the leader.
#pragma once
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Two at least, so that one client's request need not wait for another's; with more processors half
// of them, since the callers need the others. Some of libfuse's ten threads must be left to follow.
enum { LEAST_LEADERS = 2, MOST_LEADERS = 7 };

// On a cache line of its own: each request changes one.
struct leader_place {
        // The flags LED and SERVING, and above them a number that changes with each request.
        _Alignas(64) _Atomic uint64_t state;
};

struct leaders {
        struct leader_place places[MOST_LEADERS];
        int count;
        _Atomic int follower_count;
        _Atomic bool has_monitor, monitor_sleeps;
        sem_t followers, monitor;
};

// One thread's place, and the state that it set there.
struct leadership {
        int place;
        uint64_t state;
};

#define NO_LEADERSHIP ((struct leadership){.place = -1})

void leaders_init(struct leaders *leaders);
void leaders_destroy(struct leaders *leaders);

// Waits until this thread leads; returns at once if it already does. A cancellation point.
void leaders_lead(struct leaders *leaders, struct leadership *own);

// A leader got a request; it keeps leading, or serves it as a follower.
void leaders_serve(struct leaders *leaders, struct leadership *own, bool may_take_long);

// A leader got no request: another thread reads next.
void leaders_resign(struct leaders *leaders, struct leadership *own);
