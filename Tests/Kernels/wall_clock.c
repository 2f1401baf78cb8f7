// Moves the wall clock of a program, by the seconds in MAMD_TEST_CLOCK. Preloaded
// (Tests/Integration/preloaded.py) into a machine's programs, or an office's: the kernel's own
// clock is the whole machine's. Times of files stay the kernel's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t ahead(void) {
    const char *seconds = getenv("MAMD_TEST_CLOCK");

    return seconds ? atoll(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    __typeof__(&clock_gettime) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, now);

    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead();
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    *now = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// The kernel waits by its own clock: libnats has deadlines of this one.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict end) {
    struct timespec real = *end;

    real.tv_sec -= ahead();
    return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &real);
}
