// Monotonic time (CLOCK_MONOTONIC).
#pragma once
#include <stdint.h>
#include <time.h>

enum { NSEC_PER_SEC = 1000000000, NSEC_PER_MSEC = 1000000 };

static inline int64_t now_nsec(void) {
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline struct timespec timespec_after_msec(int64_t milliseconds) {
        const int64_t end = now_nsec() + milliseconds * NSEC_PER_MSEC;

        return (struct timespec){.tv_sec = end / NSEC_PER_SEC, .tv_nsec = end % NSEC_PER_SEC};
}
