// Starts and ends serving the kernel's queues.
#define _GNU_SOURCE
#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE = 4096, MAXIMUM_HELPERS = 4 };

int rings_init(struct rings *rings) {
        *rings = (struct rings){.device = -1, .stop_event = -1};
        pthread_mutex_init(&rings->lock, NULL);
        pthread_cond_init(&rings->changed, NULL);
        forgets_init(&rings->forgets);
        return pthread_key_create(&rings->current, NULL);
}

static void destroy_semaphores(struct rings *rings) {
        for (int i = 0; i < rings->worker_threads; i++) {
                sem_destroy(&rings->workers[i].answered);
                sem_destroy(&rings->workers[i].served);
        }
        for (int i = 0; i < rings->helper_threads; i++)
                sem_destroy(&rings->helpers[i].wanted);
}

void rings_destroy(struct rings *rings) {
        destroy_semaphores(rings);
        free(rings->workers);
        free(rings->helpers);
        free(rings->queues);
        pthread_key_delete(rings->current);
        forgets_destroy(&rings->forgets);
        pthread_cond_destroy(&rings->changed);
        pthread_mutex_destroy(&rings->lock);
}

// The number of the kernel's queues: the CPUs that may ever exist.
static int possible_cpu_count(void) {
        FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
        int count = 0, first, last;

        if (!file)
                return 0;
        while (fscanf(file, "%d", &first) == 1) {
                int next = fgetc(file);

                last = first;
                if (next == '-') {
                        if (fscanf(file, "%d", &last) != 1)
                                break;
                        next = fgetc(file);
                }
                count += last - first + 1;
                if (next != ',')
                        break;
        }
        fclose(file);
        return count;
}

// At least `least`, at most as many as would otherwise read /dev/fuse; fewer with many CPUs.
static int share_of_workers(int cpu_count, int least) {
        const int share = 40 / cpu_count;

        return share > 10 ? 10 : share < least ? least : share;
}

// The CPUs that are online and where the daemon may run: its first thread is bound to none of its
// own accord. None with more CPUs than the set holds: then all queues begin small.
static int usable_cpus(cpu_set_t *usable) {
        CPU_ZERO(usable);
        if (sched_getaffinity(getpid(), sizeof *usable, usable) != 0)
                return 0;
        return CPU_COUNT(usable);
}

// Sets the numbers of workers.
static void plan(struct rings *rings, const cpu_set_t *usable, int usable_count) {
        const int cpu_count = usable_count > 0 ? usable_count : rings->queue_count;
        const int first = share_of_workers(cpu_count, 1);

        rings->workers_per_queue = share_of_workers(cpu_count, 4);
        rings->helper_count = cpu_count < MAXIMUM_HELPERS ? cpu_count : MAXIMUM_HELPERS;
        rings->capacity = rings->queue_count * rings->workers_per_queue + MAXIMUM_ADDED_WORKERS;
        for (int i = 0; i < rings->queue_count; i++) {
                const bool is_usable = i < CPU_SETSIZE && CPU_ISSET(i, usable);

                rings->queues[i].worker_count = is_usable ? first : 1;
                rings->queues[i].wanted_count = rings->workers_per_queue;
                rings->first_count += rings->queues[i].worker_count;
        }
}

// Each worker has a descriptor. Nearly all of a low limit is planned for files (Evictor).
static bool has_descriptors(const struct rings *rings) {
        struct rlimit limit;

        return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
               (rlim_t)rings->capacity <= limit.rlim_cur / 16;
}

// Returns 0 or an error number. On failure the parts remain for rings_stop() and rings_destroy().
static int make_parts(struct rings *rings, int device) {
        const size_t queues_size = (size_t)rings->queue_count * sizeof *rings->queues;
        cpu_set_t usable;
        const int usable_count = usable_cpus(&usable);

        // A duplicate, because libfuse closes its own and the number may be reused.
        rings->device = fcntl(device, F_DUPFD_CLOEXEC, 3);
        rings->stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (rings->device < 0 || rings->stop_event < 0)
                return errno;
        rings->queues = aligned_alloc(_Alignof(struct ring_queue), queues_size);
        if (!rings->queues)
                return ENOMEM;
        memset(rings->queues, 0, queues_size);
        plan(rings, &usable, usable_count);
        if (!has_descriptors(rings))
                return EMFILE;
        rings->workers = calloc((size_t)rings->capacity, sizeof *rings->workers);
        rings->helpers = calloc((size_t)rings->helper_count, sizeof *rings->helpers);
        return rings->workers && rings->helpers ? 0 : ENOMEM;
}

int rings_prepare(struct rings *rings, int device, size_t payload_size) {
        const int queue_count = possible_cpu_count();
        int error;

        if (queue_count <= 0)
                return ENODEV;
        rings->payload_size = (payload_size + PAGE - 1) / PAGE * PAGE;
        rings->queue_count = queue_count;
        error = make_parts(rings, device);
        if (!error)
                error = forgets_prepare(&rings->forgets, rings->serve, rings->session,
                                        rings->device, rings->payload_size);
        if (!error)
                error = rings_start_threads(rings);
        if (error)
                rings_stop(rings, 5000);
        return error;
}

// Registers an entry without buffers, which the kernel refuses, so that it stays with /dev/fuse.
// Otherwise all requests would wait for queues that never become ready.
static void refuse_ring(struct rings *rings) {
        struct ring_worker worker = {.rings = rings, .ring.descriptor = -1};

        if (io_ring_open(&worker.ring))
                ring_entry_register(&worker);
        ring_entry_close(&worker);
}

int rings_register(struct rings *rings) {
        int error;

        forgets_set_alone(&rings->forgets, true);
        rings_set_phase(rings, SERVING);
        error = rings_wait_for(rings, &rings->registered, rings->first_count, 2000);
        atomic_store(&rings->is_used, error == 0);
        // Entries that are already registered stay: if every queue has one, requests arrive there
        // nevertheless.
        if (error) {
                forgets_set_alone(&rings->forgets, false);
                refuse_ring(rings);
        }
        return error;
}

static void close_descriptor(int *descriptor) {
        if (*descriptor >= 0)
                close(*descriptor);
        *descriptor = -1;
}

bool rings_stop(struct rings *rings, int64_t milliseconds) {
        if (rings->device < 0 && rings->stop_event < 0)
                return true;
        rings_set_phase(rings, ENDING);
        eventfd_write(rings->stop_event, 1);
        for (int i = 0; i < rings->helper_threads; i++)
                sem_post(&rings->helpers[i].wanted);
        if (rings_wait_for(rings, &rings->ended, rings->worker_threads + rings->helper_threads,
                           milliseconds) != 0)
                return false;
        rings_join_threads(rings);
        close_descriptor(&rings->device);
        close_descriptor(&rings->stop_event);
        return true;
}
