// FUSE requests by io_uring: the kernel has a queue per possible CPU, each served by some workers.
//
// A worker is one thread with one io_uring and one FUSE ring entry, so that no request is given to
// a busy thread. Only that thread uses its io_uring.
//
// The queue of a CPU that is not online, or where the daemon may not run, has one worker until its
// first request comes.
//
// The kernel's include/uapi/linux/fuse.h defines the layout.
#pragma once
#include <linux/fuse.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "forgets.h"
#include "io_ring.h"
#include "transport.h"

// The kernel's fuse_uring_req_header, missing in Debian 12's <linux/fuse.h>.
struct ring_header {
        union {
                struct fuse_in_header in;
                struct fuse_out_header out;
                char in_out[128];
        };
        char operation[128];
        struct {
                uint64_t flags, commit;
                uint32_t payload, padding;
                uint64_t reserved;
        } entry;
};

struct ring_worker {
        struct rings *rings;
        pthread_t thread;
        int queue;
        struct io_ring ring;
        // One page for the header and the requests' heads, followed by the payload.
        char *buffer, *payload, *request;
        struct ring_header *header;
        struct iovec parts[2];
        // Nonzero while a request waits for its reply.
        _Atomic uint64_t unique;
        // The number of payload bytes that may be plaintext.
        size_t plain_size;
        uint32_t operation;
        // Its thread may currently run on any CPU.
        bool is_unpinned;
        // Another thread will answer its request later.
        bool waits;
        // For workers added later: whether the kernel took its entry.
        bool is_registered;
        sem_t answered, served;
};

// Threads on any CPU, for workers whose request is expensive.
struct ring_helper {
        struct rings *rings;
        pthread_t thread;
        sem_t wanted;
        struct ring_worker *worker;
        struct ring_helper *next;
};

struct ring_queue {
        _Alignas(64) _Atomic int64_t waiting;
        _Atomic int64_t taken;
        // Changed under `lock`: its workers, those whose request waits for other requests, and how
        // many it grows to when all are busy.
        _Atomic int worker_count, wait_count, wanted_count;
};

enum phase { PREPARING, SERVING, ENDING };

struct rings {
        mam_transport_serve serve;
        void *session;

        int device, stop_event;
        struct forgets forgets;
        size_t payload_size;
        // `first_count`: the workers that start before the kernel is told.
        int queue_count, workers_per_queue, first_count, capacity, helper_count;
        struct ring_queue *queues;
        struct ring_worker *workers;
        struct ring_helper *helpers;
        // 0 until the first are created; there is space for `capacity`.
        _Atomic int worker_count;
        // A thread's struct ring_worker, whose request it serves: libfuse does not pass handlers
        // and replies what it was given with the request.
        pthread_key_t current;

        pthread_mutex_t lock;
        pthread_cond_t changed;
        // Guarded by `lock`; `phase` is also read without it.
        _Atomic int phase;
        int worker_threads, helper_threads, ready, registered, ended, error, added;
        struct ring_helper *idle;
        _Atomic bool is_used;
};

// Returns 0 or an error number.
int rings_init(struct rings *rings);

// Call only after rings_stop() returned true.
void rings_destroy(struct rings *rings);

// Creates threads, rings and buffers without registering them with the kernel. `device`: an opened
// /dev/fuse; `payload_size`: the largest reply or write. Returns 0, or an error number with no
// threads left.
int rings_prepare(struct rings *rings, int device, size_t payload_size);

// Registers the buffers with the kernel, which then sends requests. Call only after INIT was
// answered with the flag. Returns 0, or an error number after telling the kernel to stay with
// /dev/fuse.
int rings_register(struct rings *rings);
bool rings_stop(struct rings *rings, int64_t milliseconds);

// The limit on workers added for requests that wait for others.
enum { MAXIMUM_ADDED_WORKERS = 32 };

// Starts all threads, and waits until each has opened its entry. Returns 0 or an error number.
int rings_start_threads(struct rings *rings);
void rings_join_threads(struct rings *rings);

// Adds a worker to a queue; the caller holds `lock`.
bool rings_add_worker(struct rings *rings, int queue);

// Called by a worker that has taken a request: if no other one waits for the next, adds one, up to
// the queue's usual number.
void rings_grow(struct ring_worker *worker);

// Increments `count` and wakes the thread that waits for it. Returns 0, or an error number: a
// thread failed or timed out.
void rings_report(struct rings *rings, int *count);
int rings_wait_for(struct rings *rings, const int *count, int wanted, int64_t milliseconds);

void rings_set_phase(struct rings *rings, enum phase phase);

// True if it is the reply to a ring request, which it then sends.
bool rings_answer(struct rings *rings, const struct iovec *parts, int count);
void *rings_reply_room(struct rings *rings, size_t count);
bool rings_may_wait(struct rings *rings);

// Opens ring and buffers. False and errno on failure; close them even then.
bool ring_entry_open(struct ring_worker *worker);
void ring_entry_close(struct ring_worker *worker);

// Passes the entry to the kernel; false and errno if refused.
bool ring_entry_register(struct ring_worker *worker);

// Passes the reply to the kernel, and erases it here. `unique`: the request's number.
bool ring_entry_commit(struct ring_worker *worker, uint64_t unique);

// Waits for a request; `unique` is that of the last one, which was answered. False if there will be
// no more.
bool ring_entry_fetch(struct ring_worker *worker, uint64_t unique);

// Binds the calling thread of this worker to its queue's CPU, if the daemon may run there, or frees
// it.
void ring_worker_pin(struct ring_worker *worker, bool is_pinned);

// Returns when there are no more requests.
void ring_worker_serve(struct ring_worker *worker);

// A helper's thread.
void *ring_helper_run(void *helper);
