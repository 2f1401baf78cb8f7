// The threads that serve the kernel's queues.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "requests.h"
#include "rings.h"

// Places the head before the payload, as libfuse expects.
static bool assemble(struct ring_worker *worker) {
        const struct ring_header *header = worker->header;
        const struct fuse_in_header *in = &header->in;
        const uint64_t rest = (uint64_t)sizeof *in + header->entry.payload;
        size_t size;

        if (header->entry.payload > worker->rings->payload_size)
                return false;
        if (in->len < rest || in->len - rest > sizeof header->operation)
                return false;
        size = in->len - rest;
        worker->request = worker->payload - size - sizeof *in;
        memcpy(worker->request + sizeof *in, header->operation, size);
        memcpy(worker->request, in, sizeof *in);
        request_make_known((struct fuse_in_header *)worker->request);
        return true;
}

// On any thread.
static void run(struct ring_worker *worker) {
        struct rings *rings = worker->rings;

        pthread_setspecific(rings->current, worker);
        rings->serve(rings->session, worker->request, worker->header->in.len);
        pthread_setspecific(rings->current, NULL);
}

static bool is_costly(const struct ring_worker *worker) {
        return request_is_large(&worker->header->in, worker->header->operation);
}

// False if all helpers are busy or ending.
static bool is_taken_by_helper(struct ring_worker *worker) {
        struct rings *rings = worker->rings;
        struct ring_helper *found;

        pthread_mutex_lock(&rings->lock);
        found = atomic_load(&rings->phase) == SERVING ? rings->idle : NULL;
        if (found) {
                rings->idle = found->next;
                found->worker = worker;
        }
        pthread_mutex_unlock(&rings->lock);
        if (found)
                sem_post(&found->wanted);
        return found != NULL;
}

static void serve_forgets(struct ring_worker *worker) {
        struct forgets *forgets = &worker->rings->forgets;

        // If there are no more, the request fails likewise.
        if (request_is_about_inodes(&worker->header->in) && forgets_are_alone(forgets))
                forgets_serve(forgets);
}

static void wait_for(sem_t *semaphore) {
        while (sem_wait(semaphore) != 0)
                ;
}

// False if everything ends before a reply comes.
static bool wait_for_reply(struct ring_worker *worker) {
        for (int tries = 0; sem_trywait(&worker->answered) != 0;) {
                const struct timespec until = timespec_after_msec(1000);

                if (sem_clockwait(&worker->answered, CLOCK_MONOTONIC, &until) == 0)
                        return true;
                if (atomic_load(&worker->rings->phase) == ENDING && errno == ETIMEDOUT &&
                    ++tries > 1)
                        return false;
        }
        return true;
}

static void answer_error(struct ring_worker *worker, uint64_t unique, int error) {
        struct fuse_out_header head = {.len = sizeof head, .error = -error, .unique = unique};
        const struct iovec part = {&head, sizeof head};

        rings_answer(worker->rings, &part, 1);
}

static void end_wait(struct ring_worker *worker) {
        struct rings *rings = worker->rings;

        if (!worker->waits)
                return;
        worker->waits = false;
        pthread_mutex_lock(&rings->lock);
        rings->queues[worker->queue].wait_count--;
        pthread_mutex_unlock(&rings->lock);
}

// False if there will be no reply. Until the reply, the worker gets no other request, whichever
// thread replies.
static bool serve_request(struct ring_worker *worker, uint64_t unique) {
        const bool is_whole = assemble(worker);
        bool is_answered;

        serve_forgets(worker);
        worker->operation = worker->header->in.opcode;
        atomic_store(&worker->unique, unique);
        if (!is_whole)
                answer_error(worker, unique, EIO);
        else if (is_costly(worker) && is_taken_by_helper(worker))
                wait_for(&worker->served);
        else
                run(worker);
        // Of an entry of a listing that the kernel could not take. On /dev/fuse it wants no answer.
        if (worker->operation == FUSE_FORGET)
                answer_error(worker, unique, 0);
        is_answered = wait_for_reply(worker);
        end_wait(worker);
        if (is_answered)
                return true;
        if (atomic_exchange(&worker->unique, 0) != 0)
                return false;
        // The reply is being written.
        wait_for(&worker->answered);
        return true;
}

// Its callers run on that CPU, which is what makes it fast. If pinning is not allowed, any CPU will
// do.
void ring_worker_pin(struct ring_worker *worker, bool is_pinned) {
        cpu_set_t allowed;

        // As in rings.c: where the daemon may run.
        if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0)
                return;
        if (is_pinned && worker->queue < CPU_SETSIZE && CPU_ISSET(worker->queue, &allowed)) {
                CPU_ZERO(&allowed);
                CPU_SET(worker->queue, &allowed);
        }
        pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
        worker->is_unpinned = !is_pinned;
}

static int64_t count_of(const _Atomic int64_t *counter) {
        return atomic_load_explicit(counter, memory_order_relaxed);
}

// Workers that serve a request; those whose request waits for others use no CPU.
static int64_t busy_count(const struct ring_queue *queue) {
        return atomic_load_explicit(&queue->worker_count, memory_order_relaxed) -
               atomic_load_explicit(&queue->wait_count, memory_order_relaxed) -
               count_of(&queue->waiting);
}

// All of the kernel's write-back arrives through one queue, possibly more than its CPU can serve
// while another is idle. A queue without any request so far may belong to a CPU that does not
// exist.
static bool is_overloaded(const struct ring_worker *worker) {
        enum { MANY = 4, FEW = 2 };
        const struct rings *rings = worker->rings;
        const int64_t busy = busy_count(&rings->queues[worker->queue]);

        if (worker->is_unpinned)
                return busy >= FEW;
        if (busy < MANY)
                return false;
        for (int i = 0; i < rings->queue_count; i++)
                if (i != worker->queue && busy_count(&rings->queues[i]) <= 0 &&
                    count_of(&rings->queues[i].taken) > 0)
                        return true;
        return false;
}

static void choose_affinity(struct ring_worker *worker) {
        const bool is_unpinned = is_overloaded(worker);

        if (is_unpinned != worker->is_unpinned)
                ring_worker_pin(worker, !is_unpinned);
}

void ring_worker_serve(struct ring_worker *worker) {
        struct ring_queue *queue = &worker->rings->queues[worker->queue];
        uint64_t unique = 0;

        for (;;) {
                bool is_there;

                atomic_fetch_add_explicit(&queue->waiting, 1, memory_order_relaxed);
                is_there = ring_entry_fetch(worker, unique);
                atomic_fetch_sub_explicit(&queue->waiting, 1, memory_order_relaxed);
                if (!is_there)
                        return;
                atomic_fetch_add_explicit(&queue->taken, 1, memory_order_relaxed);
                unique = worker->header->in.unique;
                rings_grow(worker);
                choose_affinity(worker);
                if (!serve_request(worker, unique) || !ring_entry_commit(worker, unique))
                        return;
        }
}

void *ring_helper_run(void *argument) {
        struct ring_helper *helper = argument;
        struct rings *rings = helper->rings;

        pthread_setname_np(pthread_self(), "ring-helper");
        for (;;) {
                struct ring_worker *worker;

                pthread_mutex_lock(&rings->lock);
                helper->next = rings->idle;
                rings->idle = helper;
                pthread_mutex_unlock(&rings->lock);
                wait_for(&helper->wanted);
                // Without one, the rings are ending.
                worker = helper->worker;
                helper->worker = NULL;
                if (!worker)
                        break;
                run(worker);
                sem_post(&worker->served);
        }
        rings_report(rings, &rings->ended);
        return NULL;
}
