#define _GNU_SOURCE
#include "keeper.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lone_caller.h"
#include "threads.h"

// So long after the last request the caller is no longer worth it.
enum { PATIENCE_NANOSECONDS = 200000 };

static sem_t wanted;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void leave_processor(int number) {
    cpu_set_t others;
    CPU_ZERO(&others);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (i != number) CPU_SET(i, &others);
    sched_setaffinity(0, sizeof others, &others);
}

// Until the caller is no longer alone, or asks for nothing.
static void keep(void) {
    int left = -1;
    uint32_t seen = mam_lone_activity();
    int64_t since = now();
    for (;;) {
        const int place = mam_lone_place();
        if (place < 0) return;
        if (place != left) leave_processor(left = place);
        const uint32_t activity = mam_lone_activity();
        const int64_t time = now();
        if (activity != seen) {
            seen = activity;
            since = time;
        } else if (time - since > PATIENCE_NANOSECONDS) {
            return mam_lone_end();
        }
    }
}

static void *run(void *unused) {
    (void)unused;
    pthread_setname_np(pthread_self(), "keeper");
    // All that has something to do goes first. Not SCHED_IDLE: to the scheduler the processor would then be idle.
    setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
    for (;;) {
        while (sem_wait(&wanted) != 0) {}
        keep();
    }
    return NULL;
}

__attribute__((constructor)) static void make_semaphore(void) { sem_init(&wanted, 0, 0); }

void mam_keeper_wake(void) {
    enum { STACK = 256 * 1024 };
    static _Atomic bool is_started;
    // Without it requests are served all the same.
    if (!atomic_exchange(&is_started, true)) mam_start_thread(run, NULL, STACK);
    sem_post(&wanted);
}
