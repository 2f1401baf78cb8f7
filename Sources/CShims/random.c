#define _GNU_SOURCE
#include "random.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/random.h>

// The vDSO's generator keeps its state in memory that the kernel hands out for it: never in a core
// dump or in swap, zeroed in a forked child, and made anew after the kernel's own generator was, as
// in a copy of a virtual machine. vgetrandom(7) describes the interface.
typedef ssize_t generator(void *out, size_t count, unsigned flags, void *state, size_t size);

struct parameters {
    uint32_t state_size, protection, flags, reserved[13];
};

// NULL where there is none.
static generator *generate;
static struct parameters parameters;
static pthread_key_t end_of_thread;
static _Thread_local void *state;

static void free_state(void *own) {
    state = NULL;
    munmap(own, parameters.state_size);
}

static void find_generator(void) {
    void *const vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    generator *const found = vdso ? (generator *)dlsym(vdso, "__vdso_getrandom") : NULL;

    if (found && found(NULL, 0, 0, &parameters, ~(size_t)0) == 0 &&
        pthread_key_create(&end_of_thread, free_state) == 0)
        generate = found;
}

// Each thread has a page of its own. NULL if there is none to be had.
static void *own_state(void) {
    if (state) return state;
    void *const new = mmap(NULL, parameters.state_size, (int)parameters.protection,
                           (int)parameters.flags, -1, 0);
    if (new == MAP_FAILED) return NULL;
    if (pthread_setspecific(end_of_thread, new) != 0) {
        munmap(new, parameters.state_size);
        return NULL;
    }
    return state = new;
}

// As getrandom(2). The vDSO returns an error as a negative number.
static ssize_t fill_some(void *out, size_t count) {
    void *const own = generate ? own_state() : NULL;
    if (!own) return getrandom(out, count, 0);
    const ssize_t found = generate(out, count, 0, own, parameters.state_size);
    if (found >= 0) return found;
    errno = (int)-found;
    return -1;
}

int mam_random(void *out, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_generator);
    for (size_t done = 0; done < count;) {
        const ssize_t found = fill_some((char *)out + done, count - done);
        // Above 256 bytes a signal may interrupt it.
        if (found > 0) done += (size_t)found;
        else if (found == 0 || errno != EINTR) return 0;
    }
    return 1;
}
