#define _GNU_SOURCE
#include "keeper.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "lone_caller.h"
#include "threads.h"

// So long after the last request the caller is no longer worth it.
enum { PATIENCE_NANOSECONDS = 200000 };

static sem_t wanted;

static bool leave_processor(int number) {
    cpu_set_t others;
    CPU_ZERO(&others);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (i != number) CPU_SET(i, &others);
    return sched_setaffinity(0, sizeof others, &others) == 0;
}

// Another thread of the same core can do more meanwhile.
static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Nanoseconds that a thread was kept from running by others, so far: the second number of /proc/TID/schedstat. -1 if that
// cannot be told.
static int64_t waited(int file) {
    char text[96];
    const ssize_t count = pread(file, text, sizeof text - 1, 0);
    if (count <= 0) return -1;
    text[count] = 0;
    char *rest;
    strtoll(text, &rest, 10);
    return strtoll(rest, NULL, 10);
}

// A thread, and how long it has waited so far.
struct watch {
    uint32_t thread;
    int file;
    int64_t waited, since;
};

static void begin_watch(struct watch *watch, int64_t time) {
    char path[40];
    watch->thread = mam_lone_caller();
    snprintf(path, sizeof path, "/proc/%u/schedstat", watch->thread);
    if (watch->file >= 0) close(watch->file);
    watch->file = open(path, O_RDONLY | O_CLOEXEC);
    watch->waited = waited(watch->file);
    watch->since = time;
}

// Now and then. Alone it waits for 0 to 5 % of the time, beside one that computes for 10 % and more.
static void judge(struct watch *watch, int64_t time) {
    enum { WINDOW_NANOSECONDS = 4000000 };
    if (watch->thread != mam_lone_caller()) return begin_watch(watch, time);
    if (time - watch->since < WINDOW_NANOSECONDS) return;
    const int64_t found = waited(watch->file);
    if (found < 0) return mam_lone_end();
    mam_lone_judge((found - watch->waited) * 10 > time - watch->since);
    watch->waited = found;
    watch->since = time;
}

// Until the caller is no longer alone, or asks for nothing.
static void keep(struct watch *watch) {
    int left = -1;
    uint32_t seen = mam_lone_activity();
    int64_t since = now();
    begin_watch(watch, since);
    for (;;) {
        const int place = mam_lone_place();
        if (place < 0) return;
        if (place != left && !leave_processor(place)) return mam_lone_end();
        left = place;
        const uint32_t activity = mam_lone_activity();
        const int64_t time = now();
        if (activity != seen) {
            seen = activity;
            since = time;
            judge(watch, time);
        } else if (time - since > PATIENCE_NANOSECONDS) {
            return mam_lone_end();
        }
        relax();
    }
}

static void *run(void *unused) {
    (void)unused;
    pthread_setname_np(pthread_self(), "keeper");
    // What else has something to do goes first. Not SCHED_IDLE: to the scheduler the processor would then be idle.
    setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
    struct watch watch = {.file = -1};
    for (;;) {
        while (sem_wait(&wanted) != 0) {}
        keep(&watch);
    }
    return NULL;
}

__attribute__((constructor)) static void make_semaphore(void) { sem_init(&wanted, 0, 0); }

void mam_keeper_wake(void) {
    enum { STACK = 256 * 1024 };
    static _Atomic bool is_started;
    if (!atomic_exchange(&is_started, true) && mam_start_thread(run, NULL, STACK) != 0) {
        is_started = false;
        // Nobody else would.
        return mam_lone_end();
    }
    sem_post(&wanted);
}
