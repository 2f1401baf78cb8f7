// Which of the threads that serve the mount read the next request (the leader/followers pattern).
//
// To wake a thread on another CPU costs more than most requests do, and the kernel wakes those that
// read in turn, so that each finds its caches cold. So few threads lead: a leader reads, serves
// what is short by itself, and reads again. The others, its followers, wait here and not in the
// kernel. Before a request that may take long a leader resigns. One that takes long unexpectedly is
// replaced by the monitor, the one follower that looks at the clock.
#pragma once
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Two, so that one client's request need not wait for another's.
enum { LEADER_COUNT = 2 };

struct leaders {
        // LED and SERVING, and above them a number that is another for each request.
        _Atomic uint64_t places[LEADER_COUNT];
        _Atomic int follower_count;
        _Atomic bool has_monitor, monitor_sleeps;
        sem_t followers, monitor;
};

// Of one thread: the place that it leads in, and the state that it gave it.
struct leadership {
        int place;
        uint64_t state;
};

#define NO_LEADERSHIP ((struct leadership){.place = -1})

void leaders_init(struct leaders *leaders);
void leaders_destroy(struct leaders *leaders);

// Waits until this thread leads, or goes on if it does. A cancellation point.
void leaders_lead(struct leaders *leaders, struct leadership *own);

// A leader has a request, and serves it as one or as a follower.
void leaders_serve(struct leaders *leaders, struct leadership *own, bool may_take_long);

// A leader has none: somebody else looks next.
void leaders_resign(struct leaders *leaders, struct leadership *own);
