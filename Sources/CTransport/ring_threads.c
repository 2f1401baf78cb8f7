// Starts, waits for and joins the rings' threads.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

#include "clock.h"
#include "rings.h"
#include "threads.h"

enum { STACK_SIZE = 1 << 20 };

void rings_report(struct rings *rings, int *count) {
        pthread_mutex_lock(&rings->lock);
        (*count)++;
        pthread_cond_broadcast(&rings->changed);
        pthread_mutex_unlock(&rings->lock);
}

static void report_error(struct rings *rings, int error) {
        pthread_mutex_lock(&rings->lock);
        if (!rings->error)
                rings->error = error ? error : EIO;
        pthread_cond_broadcast(&rings->changed);
        pthread_mutex_unlock(&rings->lock);
}

void rings_set_phase(struct rings *rings, enum phase phase) {
        pthread_mutex_lock(&rings->lock);
        atomic_store(&rings->phase, phase);
        pthread_cond_broadcast(&rings->changed);
        pthread_mutex_unlock(&rings->lock);
}

static enum phase wait_for_phase(struct rings *rings) {
        enum phase found;

        pthread_mutex_lock(&rings->lock);
        while (atomic_load(&rings->phase) == PREPARING)
                pthread_cond_wait(&rings->changed, &rings->lock);
        found = (enum phase)atomic_load(&rings->phase);
        pthread_mutex_unlock(&rings->lock);
        return found;
}

int rings_wait_for(struct rings *rings, const int *count, int wanted, int64_t milliseconds) {
        const struct timespec until = timespec_after_msec(milliseconds);
        int error = 0, late = 0;

        pthread_mutex_lock(&rings->lock);
        while (*count < wanted && !late && (atomic_load(&rings->phase) == ENDING || !rings->error))
                late = pthread_cond_clockwait(&rings->changed, &rings->lock, CLOCK_MONOTONIC,
                                              &until);
        if (*count < wanted)
                error = rings->error ? rings->error : ETIMEDOUT;
        pthread_mutex_unlock(&rings->lock);
        return error;
}

static void settle_on_queue(struct ring_worker *worker) {
        char name[16];

        snprintf(name, sizeof name, "ring-%d", worker->queue);
        pthread_setname_np(pthread_self(), name);
        ring_worker_pin(worker, true);
}

static void *worker_run(void *argument) {
        struct ring_worker *worker = argument;
        struct rings *rings = worker->rings;

        settle_on_queue(worker);
        if (ring_entry_open(worker))
                rings_report(rings, &rings->ready);
        else
                report_error(rings, errno);
        if (wait_for_phase(rings) == SERVING) {
                if (ring_entry_register(worker)) {
                        rings_report(rings, &rings->registered);
                        ring_worker_serve(worker);
                } else {
                        report_error(rings, errno);
                }
        }
        ring_entry_close(worker);
        rings_report(rings, &rings->ended);
        return NULL;
}

// A worker added while others serve.
static void *added_worker_run(void *argument) {
        struct ring_worker *worker = argument;
        bool is_registered;

        settle_on_queue(worker);
        is_registered = ring_entry_open(worker) && ring_entry_register(worker);
        worker->is_registered = is_registered;
        sem_post(&worker->served);
        if (is_registered)
                ring_worker_serve(worker);
        ring_entry_close(worker);
        rings_report(worker->rings, &worker->rings->ended);
        return NULL;
}

// Returns 0 or an error number. Workers are started in the order of their numbers.
static int start_worker(struct rings *rings, int queue, void *(*body)(void *)) {
        struct ring_worker *worker = &rings->workers[rings->worker_threads];
        int error;

        worker->rings = rings;
        worker->queue = queue;
        worker->ring.descriptor = -1;
        sem_init(&worker->answered, 0, 0);
        sem_init(&worker->served, 0, 0);
        error = start_thread(&worker->thread, body, worker, STACK_SIZE);
        if (!error)
                rings->worker_threads++;
        return error;
}

static int start_helper(struct rings *rings) {
        struct ring_helper *helper = &rings->helpers[rings->helper_threads];
        int error;

        helper->rings = rings;
        sem_init(&helper->wanted, 0, 0);
        error = start_thread(&helper->thread, ring_helper_run, helper, STACK_SIZE);
        if (!error)
                rings->helper_threads++;
        return error;
}

static int start_workers(struct rings *rings, int queue) {
        int error = 0;

        for (int i = 0; !error && i < rings->queues[queue].worker_count; i++)
                error = start_worker(rings, queue, worker_run);
        return error;
}

int rings_start_threads(struct rings *rings) {
        int error = 0;

        while (!error && rings->helper_threads < rings->helper_count)
                error = start_helper(rings);
        for (int queue = 0; !error && queue < rings->queue_count; queue++)
                error = start_workers(rings, queue);
        if (!error)
                error = rings_wait_for(rings, &rings->ready, rings->first_count, 5000);
        if (!error)
                atomic_store(&rings->worker_count, rings->first_count);
        return error;
}

// The caller holds `lock`, so no other thread adds one meanwhile.
bool rings_add_worker(struct rings *rings, int queue) {
        struct ring_worker *worker = &rings->workers[rings->worker_threads];

        if (rings->worker_threads == rings->capacity || atomic_load(&rings->phase) != SERVING)
                return false;
        if (start_worker(rings, queue, added_worker_run) != 0)
                return false;
        atomic_store(&rings->worker_count, rings->worker_threads);
        while (sem_wait(&worker->served) != 0)
                ;
        if (!worker->is_registered)
                return false;
        rings->queues[queue].worker_count++;
        return true;
}

static int count_of(const _Atomic int *counter) {
        return atomic_load_explicit(counter, memory_order_relaxed);
}

void rings_grow(struct ring_worker *worker) {
        struct rings *rings = worker->rings;
        struct ring_queue *queue = &rings->queues[worker->queue];

        if (count_of(&queue->worker_count) >= count_of(&queue->wanted_count) ||
            atomic_load_explicit(&queue->waiting, memory_order_relaxed) > 0)
                return;
        pthread_mutex_lock(&rings->lock);
        if (queue->worker_count < queue->wanted_count && !rings_add_worker(rings, worker->queue))
                queue->wanted_count = queue->worker_count;
        pthread_mutex_unlock(&rings->lock);
        // Its CPU may not have been online when it started.
        ring_worker_pin(worker, true);
}

void rings_join_threads(struct rings *rings) {
        for (int i = 0; i < rings->worker_threads; i++)
                pthread_join(rings->workers[i].thread, NULL);
        for (int i = 0; i < rings->helper_threads; i++)
                pthread_join(rings->helpers[i].thread, NULL);
}
