// Replies to ring requests, from any thread.
#include <errno.h>
#include <string.h>

#include "rings.h"

static bool take(struct ring_worker *worker, uint64_t unique) {
        return atomic_compare_exchange_strong(&worker->unique, &unique, 0);
}

// Only the first reply finds the worker; a reply to a /dev/fuse request finds none.
static struct ring_worker *claim(struct rings *rings, uint64_t unique) {
        const int count = atomic_load(&rings->worker_count);
        struct ring_worker *current;

        if (count == 0 || unique == 0)
                return NULL;
        // Nearly always the current thread's; others are only inspected.
        current = pthread_getspecific(rings->current);
        if (current && take(current, unique))
                return current;
        for (int i = 0; i < count; i++) {
                struct ring_worker *worker = &rings->workers[i];

                if (atomic_load(&worker->unique) == unique && take(worker, unique))
                        return worker;
        }
        return NULL;
}

bool rings_answer(struct rings *rings, const struct iovec *parts, int count) {
        const struct fuse_out_header *head = parts[0].iov_base;
        struct ring_worker *worker = claim(rings, head->unique);
        size_t size = 0;
        char *end;

        if (!worker)
                return false;
        for (int i = 1; i < count; i++)
                size += parts[i].iov_len;
        worker->header->out = *head;
        if (size > rings->payload_size) {
                worker->header->out.error = -EIO;
                size = 0;
        }
        if (size > 0 && worker->operation == FUSE_READ && worker->plain_size < size)
                worker->plain_size = size;
        worker->header->entry.payload = (uint32_t)size;
        end = worker->payload;
        for (int i = 1; i < count && size > 0; i++) {
                if (parts[i].iov_base != end)
                        memmove(end, parts[i].iov_base, parts[i].iov_len);
                end += parts[i].iov_len;
        }
        sem_post(&worker->answered);
        return true;
}

void *rings_reply_room(struct rings *rings, size_t count) {
        struct ring_worker *worker = pthread_getspecific(rings->current);

        if (!worker || worker->operation != FUSE_READ || count > rings->payload_size)
                return NULL;
        if (worker->plain_size < count)
                worker->plain_size = count;
        return worker->payload;
}

// One that was started and then failed counts too.
static bool add_for_waiting(struct rings *rings, int queue) {
        const int before = rings->worker_threads;
        bool has_one;

        if (rings->added == MAXIMUM_ADDED_WORKERS)
                return false;
        has_one = rings_add_worker(rings, queue);
        rings->added += rings->worker_threads - before;
        return has_one;
}

bool rings_may_wait(struct rings *rings) {
        struct ring_worker *worker = pthread_getspecific(rings->current);
        struct ring_queue *queue;
        bool has_room;

        if (!worker)
                return true;
        queue = &rings->queues[worker->queue];
        pthread_mutex_lock(&rings->lock);
        has_room = queue->worker_count - queue->wait_count > rings->workers_per_queue / 2 ||
                   add_for_waiting(rings, worker->queue);
        if (has_room)
                queue->wait_count++;
        pthread_mutex_unlock(&rings->lock);
        worker->waits = has_room;
        return has_room;
}
