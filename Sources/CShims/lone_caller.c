#define _GNU_SOURCE
#include "lone_caller.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keeper.h"
#include "turns.h"

// Requests in a row from one thread, before it is taken for alone: at first, and at most. And how many come between two looks at
// where it is.
enum { STREAK = 16, LONGEST_STREAK = 4096, LOOK = 64 };

static bool is_enabled;
// Each is changed without regard to other threads: a request that is not counted makes no difference.
static _Atomic uint32_t last_caller, streak;
static _Atomic uint32_t activity, kernel_requests;
static _Atomic uint32_t streak_wanted = STREAK;
static _Atomic uint32_t look_count;
static _Atomic int place = -1;

int mam_lone_place(void) { return atomic_load(&place); }

uint32_t mam_lone_caller(void) { return atomic_load_explicit(&last_caller, memory_order_relaxed); }

uint32_t mam_lone_activity(void) { return atomic_load_explicit(&activity, memory_order_relaxed); }

void mam_lone_prepare(bool may_keep_busy) {
    cpu_set_t allowed;
    if (!may_keep_busy || sysconf(_SC_NPROCESSORS_ONLN) != 2) return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 2) return;
    is_enabled = true;
}

void mam_lone_end(void) {
    atomic_store_explicit(&streak, 0, memory_order_relaxed);
    if (atomic_load_explicit(&place, memory_order_relaxed) < 0) return;
    if (atomic_exchange(&place, -1) >= 0) mam_turn_wake_one();
}

void mam_lone_judge(bool is_crowded) {
    const uint32_t before = atomic_load_explicit(&streak_wanted, memory_order_relaxed);
    const uint32_t after = !is_crowded ? STREAK : before < LONGEST_STREAK ? before * 4 : before;
    atomic_store_explicit(&streak_wanted, after, memory_order_relaxed);
    if (is_crowded) mam_lone_end();
}

static void begin(int processor) {
    if (atomic_exchange(&place, processor) < 0) mam_keeper_wake();
}

// A thread of libfuse's may be told to end at any time until it has begun to serve, and has a request that nobody else has.
static ssize_t read_undisturbed(const char *path, char *text, size_t size) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? -1 : read(file, text, size);
    if (file >= 0) close(file);
    pthread_setcancelstate(before, NULL);
    return count;
}

// Field 39 of /proc/TID/stat; -1 if it cannot be read. The second field is the name, in parentheses, and may contain any byte.
static int processor_of(uint32_t thread) {
    enum { NAME = 2, PROCESSOR = 39 };
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", thread);
    const ssize_t count = read_undisturbed(path, text, sizeof text - 1);
    if (count <= 0) return -1;
    text[count] = 0;
    const char *field = strrchr(text, ')');
    for (int number = NAME; field && number < PROCESSOR; number++) field = strchr(field + 1, ' ');
    return field ? atoi(field + 1) : -1;
}

static uint32_t add_one(_Atomic uint32_t *counter) {
    const uint32_t count = atomic_load_explicit(counter, memory_order_relaxed) + 1;
    atomic_store_explicit(counter, count, memory_order_relaxed);
    return count;
}

static void extend(uint32_t caller, int processor) {
    const uint32_t count = add_one(&streak);
    add_one(&activity);
    atomic_store_explicit(&kernel_requests, 0, memory_order_relaxed);
    const uint32_t wanted = atomic_load_explicit(&streak_wanted, memory_order_relaxed);
    if (count < wanted) return;
    if (processor < 0) {
        if ((count - wanted) % LOOK != 0) return;
        processor = processor_of(caller);
        atomic_fetch_add_explicit(&look_count, 1, memory_order_relaxed);
    }
    if (processor >= 0 && processor != mam_lone_place()) begin(processor);
}

// What the kernel writes back or closes: the caller may wait for that, but not for ever.
static void extend_by_kernel(void) {
    enum { MOST = 256 };
    if (mam_lone_place() >= 0 && add_one(&kernel_requests) <= MOST) add_one(&activity);
}

void mam_lone_note(uint32_t caller, int processor, bool is_short) {
    if (!is_enabled) return;
    if (!is_short) {
        mam_lone_end();
    } else if (caller == 0) {
        extend_by_kernel();
    } else if (caller == mam_lone_caller()) {
        extend(caller, processor);
    } else {
        atomic_store_explicit(&last_caller, caller, memory_order_relaxed);
        mam_lone_end();
    }
}

// Not bound to it for longer: threads that this one starts would be bound too.
void mam_lone_follow(void) {
    static _Thread_local uint32_t looks_followed;
    const uint32_t looks = atomic_load_explicit(&look_count, memory_order_relaxed);
    if (looks == looks_followed) return;
    looks_followed = looks;
    const int there = mam_lone_place();
    cpu_set_t allowed, only;
    if (there < 0 || there >= CPU_SETSIZE || there == sched_getcpu()) return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    CPU_ZERO(&only);
    CPU_SET(there, &only);
    sched_setaffinity(0, sizeof only, &only);
    sched_setaffinity(0, sizeof allowed, &allowed);
}
