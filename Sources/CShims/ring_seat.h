// The parts that requests through io_uring are made of; what they do together is told in include/uring.h.
//
// A seat is one thread with one ring of io_uring's and one entry of FUSE's, so that a request is never given to a thread that
// is busy. All that is done to a ring is done by its thread.
#pragma once
#include "include/uring.h"
#include "io_ring.h"

#include <linux/fuse.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/uio.h>

struct header {
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

struct seat {
    int queue;
    struct io_ring ring;
    char *room, *payload, *request;
    struct header *header;
    struct iovec buffers[2];
    // Not 0 while a request waits for its reply.
    _Atomic uint64_t unique;
    // How many bytes of the payload may be plaintext.
    size_t plain;
    uint32_t operation;
    // Its thread runs on any processor for now.
    bool roams;
    // Its request is answered by another thread, later.
    bool waits;
    // Of those that were added later: whether the kernel took its entry.
    bool is_registered;
    sem_t answered, served;
};

// Threads on no processor in particular, which are lent to seats whose request costs much.
struct helper {
    sem_t wanted;
    struct seat *seat;
    struct helper *next;
};

struct queue {
    _Alignas(64) _Atomic int64_t waiting;
    _Atomic int64_t taken;
    // Guarded by `lock`.
    int seats, waits;
};

enum phase { PREPARING, SERVING, ENDING };

struct seats {
    int device, stop;
    size_t payload;
    mam_serve serve;
    void *session;
    int queue_count, seats_of_queue, helper_count;
    // There is room for some more.
    _Atomic int seat_count;
    struct queue *queues;
    struct seat *seats;
    struct helper *helpers;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // Guarded by `lock`; `phase` is also read without it.
    _Atomic int phase;
    int started, ready, registered, ended, error, more;
    _Atomic bool is_used;
    struct helper *idle;
};

// A process has one mount.
extern struct seats mam_seats;

// The seat whose request this thread serves.
extern _Thread_local struct seat *mam_current_seat;

// One more of `count`, for who waits for it.
void mam_seats_report(int *count);

// Ring and buffers. False and errno on failure; it is to be closed all the same.
bool mam_seat_open(struct seat *seat);
void mam_seat_close(struct seat *seat);

// Gives the entry to the kernel: false and errno if it is refused.
bool mam_seat_register(struct seat *seat);

// Lets the thread of this seat, which calls, run on any processor, or on its queue's alone.
void mam_seat_roam(struct seat *seat, bool roams);

// Until there are no more.
void mam_seat_serve(struct seat *seat);

// The thread of a helper.
void *mam_help(void *helper);

// One more seat for a queue, with `lock` held.
bool mam_seats_add(int queue);
