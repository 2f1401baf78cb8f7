// FUSE's requests by io_uring: the kernel has a queue for each CPU that there may be, and each of
// them has some workers here.
//
// A worker is one thread with one io_uring and one ring entry of FUSE's, so that no request is ever
// given to a thread that is busy. All that is done to an io_uring is done by its thread.
//
// Which bytes go where is the kernel's include/uapi/linux/fuse.h.
#pragma once
#include <linux/fuse.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "io_ring.h"
#include "transport.h"

// As the kernel's fuse_uring_req_header, which <linux/fuse.h> of Debian 12 does not have yet.
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
        // One page for the header and for requests' heads, and behind it the payload.
        char *buffer, *payload, *request;
        struct ring_header *header;
        struct iovec parts[2];
        // Not 0 while a request waits for its reply.
        _Atomic uint64_t unique;
        // How many bytes of the payload may be plaintext.
        size_t plain_size;
        uint32_t operation;
        // Its thread runs on any CPU for now.
        bool is_unpinned;
        // Its request is answered by another thread, later.
        bool waits;
        // Of those that were added later: whether the kernel took its entry.
        bool is_registered;
        sem_t answered, served;
};

// Threads on no CPU in particular, for workers whose request costs much.
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
        // Guarded by `lock`.
        int worker_count, wait_count;
};

enum phase { PREPARING, SERVING, ENDING };

struct rings {
        mam_transport_serve serve;
        void *session;

        int device, stop_event;
        size_t payload_size;
        int queue_count, workers_per_queue, helper_count;
        struct ring_queue *queues;
        struct ring_worker *workers;
        struct ring_helper *helpers;
        // 0 until they are all made; there is room for some more.
        _Atomic int worker_count;
        // A thread's struct ring_worker, whose request it serves: libfuse calls handlers, and
        // writes their replies, without a word of what it was given with the request.
        pthread_key_t current;

        pthread_mutex_t lock;
        pthread_cond_t changed;
        // Guarded by `lock`; `phase` is also read without it.
        _Atomic int phase;
        int worker_threads, helper_threads, ready, registered, ended, error, added;
        struct ring_helper *idle;
        _Atomic bool is_used;
};

// 0, or an error number.
int rings_init(struct rings *rings);

// Only after rings_stop() returned true.
void rings_destroy(struct rings *rings);

// Makes threads, rings and buffers, and registers nothing yet: the kernel does not know of them.
// `device` is an opened /dev/fuse; `payload_size` the largest reply or write. 0, or an error
// number, and no thread is left.
int rings_prepare(struct rings *rings, int device, size_t payload_size);

// Hands the buffers to the kernel, which sends requests from then on. Only after its INIT was
// answered with the flag. 0, or an error number: the kernel was told to stay with /dev/fuse.
int rings_register(struct rings *rings);
bool rings_stop(struct rings *rings, int64_t milliseconds);

// How many workers are added to those that there are from the beginning.
enum { MAXIMUM_ADDED_WORKERS = 32 };

// All threads, until each has opened its entry. 0, or an error number.
int rings_start_threads(struct rings *rings);
void rings_join_threads(struct rings *rings);

// One more worker for a queue, with `lock` held.
bool rings_add_worker(struct rings *rings, int queue);

// One more of `count`, and who waits for so many. 0, or an error number: a thread has failed, or it
// does not come to that in time.
void rings_report(struct rings *rings, int *count);
int rings_wait_for(struct rings *rings, const int *count, int wanted, int64_t milliseconds);

void rings_set_phase(struct rings *rings, enum phase phase);

// True if it answers a request of a ring's, and so takes it.
bool rings_answer(struct rings *rings, const struct iovec *parts, int count);
void *rings_reply_room(struct rings *rings, size_t count);
bool rings_may_wait(struct rings *rings);

// Ring and buffers. False and errno on failure; they are to be closed all the same.
bool ring_entry_open(struct ring_worker *worker);
void ring_entry_close(struct ring_worker *worker);

// Gives the entry to the kernel: false and errno if it is refused.
bool ring_entry_register(struct ring_worker *worker);

// Gives the reply to the kernel, and erases it here. `unique`: the request's number.
bool ring_entry_commit(struct ring_worker *worker, uint64_t unique);

// Waits for a request; `unique` is that of the last one, which was answered. False if there will be
// no more.
bool ring_entry_fetch(struct ring_worker *worker, uint64_t unique);

// Lets the thread of this worker, which calls, run on its queue's CPU alone, or on any.
void ring_worker_pin(struct ring_worker *worker, bool is_pinned);

// Until there are no more requests.
void ring_worker_serve(struct ring_worker *worker);

// The thread of a helper.
void *ring_helper_run(void *helper);
