// Threads that nobody joins and no signal disturbs.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

// 0, or an error number.
static inline int mam_start_thread(void *(*body)(void *), void *argument, size_t stack) {
    pthread_attr_t attributes;
    sigset_t every, before;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    const int error = pthread_create(&thread, &attributes, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}
