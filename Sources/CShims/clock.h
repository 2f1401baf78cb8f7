// Time that only goes on.
#pragma once
#include <stdint.h>
#include <time.h>

// In nanoseconds.
static inline int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
