// Starts and ends serving the kernel's queues.
#define _GNU_SOURCE
#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PAGE = 4096, MAXIMUM_HELPERS = 4 };

int rings_init(struct rings *rings) {
        *rings = (struct rings){.device = -1, .stop_event = -1};
        pthread_mutex_init(&rings->lock, NULL);
        pthread_cond_init(&rings->changed, NULL);
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

// As many threads per queue as would otherwise read /dev/fuse; fewer with many CPUs.
static int workers_for_each_of(int queue_count) {
        const int share = 40 / queue_count;

        return share > 10 ? 10 : share < 4 ? 4 : share;
}

// Returns 0 or an error number. On failure the parts remain for rings_stop() and rings_destroy().
static int make_parts(struct rings *rings, int device) {
        const size_t queue_count = (size_t)rings->queue_count;
        const size_t first_count = queue_count * (size_t)rings->workers_per_queue;
        const size_t worker_count = first_count + MAXIMUM_ADDED_WORKERS;
        const size_t queues_size = queue_count * sizeof *rings->queues;

        // A duplicate, because libfuse closes its own and the number may be reused.
        rings->device = fcntl(device, F_DUPFD_CLOEXEC, 3);
        rings->stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (rings->device < 0 || rings->stop_event < 0)
                return errno;
        rings->queues = aligned_alloc(_Alignof(struct ring_queue), queues_size);
        rings->workers = calloc(worker_count, sizeof *rings->workers);
        rings->helpers = calloc((size_t)rings->helper_count, sizeof *rings->helpers);
        if (!rings->queues || !rings->workers || !rings->helpers)
                return ENOMEM;
        memset(rings->queues, 0, queues_size);
        return 0;
}

int rings_prepare(struct rings *rings, int device, size_t payload_size) {
        const int queue_count = possible_cpu_count();
        int error;

        if (queue_count <= 0)
                return ENODEV;
        rings->payload_size = (payload_size + PAGE - 1) / PAGE * PAGE;
        rings->queue_count = queue_count;
        rings->workers_per_queue = workers_for_each_of(queue_count);
        rings->helper_count = queue_count < MAXIMUM_HELPERS ? queue_count : MAXIMUM_HELPERS;
        error = make_parts(rings, device);
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
        const int worker_count = rings->queue_count * rings->workers_per_queue;
        int error;

        rings_set_phase(rings, SERVING);
        error = rings_wait_for(rings, &rings->registered, worker_count, 2000);
        atomic_store(&rings->is_used, error == 0);
        // Entries that are already registered stay: if every queue has one, requests arrive there
        // nevertheless.
        if (error)
                refuse_ring(rings);
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
