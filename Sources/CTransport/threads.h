// Threads with all signals blocked.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

// Returns 0 or an error number.
static inline int start_thread(pthread_t *thread, void *(*body)(void *), void *argument,
                               size_t stack_size) {
        pthread_attr_t attributes;
        sigset_t every, before;
        int error;

        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_size);
        sigfillset(&every);
        pthread_sigmask(SIG_SETMASK, &every, &before);
        error = pthread_create(thread, &attributes, body, argument);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        return error;
}
