// What the thread sanitizer cannot see by itself, told to it; nothing is suppressed. Preloaded by
// scripts/dev tsan.
//
// Synchronization.Mutex: its fast paths are compiled into our modules, where the sanitizer sees the
// atomics. A thread that has to wait goes into the standard library, which is not instrumented:
// that it holds the lock afterwards the sanitizer cannot know, and calls it a race. These two stand
// before the library's and say what is true: a lock is an acquire of the mutex's address, an unlock
// a release.
//
// pthread_rwlock_clockwrlock(3), which ReadWriteLock takes until a deadline: the sanitizer knows
// its older sisters only.
//
// pthread_cancel(3): libfuse cancels its threads at the end, within read(2). The sanitizer's own
// frame of that call is never left then, and it ends the process. The signal that the daemon wakes
// its threads with ends the read too; again and again, for one that comes before the thread waits
// wakes nobody. Those that wait for their turn are woken by the one before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

// Weak: the programs between us and the one that is looked at are not instrumented.
#pragma weak __tsan_acquire
#pragma weak __tsan_release
#pragma weak __tsan_mutex_pre_lock
#pragma weak __tsan_mutex_post_lock

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// _MutexHandle._lockSlow(_: UInt32), _MutexHandle._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void mam_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void mam_unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void mam_lock_slow(uint32_t thread, SELF) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    real(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void mam_unlock_slow(SELF) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    real(self);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *until) {
    int (*real)(pthread_rwlock_t *, clockid_t,
                const struct timespec *) = dlsym(RTLD_NEXT, "pthread_rwlock_clockwrlock");
    int status = real(lock, clock, until);
    if (status == 0 && __tsan_mutex_pre_lock) {
        __tsan_mutex_pre_lock(lock, __tsan_mutex_try_lock);
        __tsan_mutex_post_lock(lock, __tsan_mutex_try_lock, 0);
    }
    return status;
}

int pthread_cancel(pthread_t thread) {
    int (*real)(pthread_t) = dlsym(RTLD_NEXT, "pthread_cancel");
    if (!__tsan_acquire) return real(thread);
    for (int count = 0; count < 20; count++) {
        pthread_kill(thread, SIGUSR1);
        usleep(5000);
    }
    return 0;
}
