#define _GNU_SOURCE
#include "ring_seat.h"
#include "lone_caller.h"
#include "requests.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

// <linux/fuse.h> of Debian 12 does not have them yet.
enum { REGISTER = 1, COMMIT_AND_FETCH = 2 };

struct command {
    uint64_t flags, commit;
    uint16_t queue;
    uint8_t padding[6];
};

_Static_assert(sizeof(struct header) == 288 && sizeof(struct command) == 24, "as the kernel has them");

enum { PAGE = 4096 };
// What a completion is of.
enum { REQUEST = 1, STOP = 2 };

static void add_command(struct seat *seat, uint32_t operation, uint64_t commit) {
    struct io_uring_sqe *command = mam_io_ring_add(&seat->ring, IORING_OP_URING_CMD, mam_seats.device, REQUEST);
    command->cmd_op = operation;
    if (operation == REGISTER) {
        command->addr = (uint64_t)(uintptr_t)seat->buffers;
        command->len = 2;
    }
    const struct command detail = {.commit = commit, .queue = (uint16_t)seat->queue};
    memcpy(command->cmd, &detail, sizeof detail);
}

static void add_stop(struct seat *seat) {
    mam_io_ring_add(&seat->ring, IORING_OP_POLL_ADD, mam_seats.stop, STOP)->poll32_events = POLLIN;
}

static const struct io_uring_cqe *completed_request(const struct seat *seat) {
    struct io_uring_cqe *found;
    for (unsigned i = 0; (found = mam_io_ring_completion(&seat->ring, i)); i++)
        if (found->user_data == REQUEST) return found;
    return NULL;
}

static bool is_to_be_sent_again(int result) { return result == -EAGAIN || result == -EINTR; }

// The kernel has copied the reply when it has taken the commit. What it puts there next, and has, is another program's
// request.
static void erase(struct seat *seat) {
    const struct io_uring_cqe *next = completed_request(seat);
    if (next && is_to_be_sent_again(next->res)) return;
    const size_t used = next && next->res == 0 ? seat->header->entry.payload : 0;
    if (used < seat->plain) explicit_bzero(seat->payload + used, seat->plain - used);
    seat->plain = 0;
}

static bool commit(struct seat *seat, uint64_t unique) {
    add_command(seat, COMMIT_AND_FETCH, unique);
    if (!seat->plain) return true;
    if (!mam_io_ring_send(&seat->ring)) return false;
    erase(seat);
    return true;
}

// False if there will be no more.
static bool next_request(struct seat *seat, uint64_t unique) {
    int failures = 0;
    while (true) {
        struct io_uring_cqe *found = mam_io_ring_completion(&seat->ring, 0);
        if (!found) {
            if (!mam_io_ring_enter(&seat->ring, true)) return false;
            continue;
        }
        const uint64_t purpose = found->user_data;
        const int result = found->res;
        mam_io_ring_take(&seat->ring);
        if (purpose == STOP || atomic_load(&mam_seats.phase) == ENDING) return false;
        if (result == 0) return true;
        if (is_to_be_sent_again(result)) {
            if (unique) {
                if (!commit(seat, unique)) return false;
            } else {
                add_command(seat, REGISTER, 0);
            }
        } else if (result == -ENOTCONN || result == -ECONNABORTED || result == -ECANCELED || ++failures > 3) {
            // Unmounted, or aborted.
            return false;
        } else {
            // The entry is lost, but no queue may be without one.
            unique = 0;
            add_command(seat, REGISTER, 0);
        }
    }
}

// In front of the payload, where libfuse looks for it.
static bool assemble(struct seat *seat) {
    const struct header *header = seat->header;
    const struct fuse_in_header *in = &header->in;
    const uint64_t rest = (uint64_t)sizeof *in + header->entry.payload;
    if (header->entry.payload > mam_seats.payload) return false;
    if (in->len < rest || in->len - rest > sizeof header->operation) return false;
    const size_t size = in->len - rest;
    seat->request = seat->payload - size - sizeof *in;
    memcpy(seat->request + sizeof *in, header->operation, size);
    memcpy(seat->request, in, sizeof *in);
    make_known((struct fuse_in_header *)seat->request);
    return true;
}

static void run(struct seat *seat) {
    mam_current_seat = seat;
    mam_seats.serve(mam_seats.session, seat->request, seat->header->in.len);
    mam_current_seat = NULL;
}

static bool is_costly(const struct seat *seat) {
    switch (seat->operation) {
    case FUSE_READ: return ((const struct fuse_read_in *)seat->header->operation)->size >= LARGE_REQUEST;
    case FUSE_WRITE: return seat->header->entry.payload >= LARGE_REQUEST;
    case FUSE_COPY_FILE_RANGE: return true;
    default: return false;
    }
}

// False if all are busy, or are told to end.
static bool is_lent_to_helper(struct seat *seat) {
    pthread_mutex_lock(&mam_seats.lock);
    struct helper *found = atomic_load(&mam_seats.phase) == SERVING ? mam_seats.idle : NULL;
    if (found) {
        mam_seats.idle = found->next;
        found->seat = seat;
    }
    pthread_mutex_unlock(&mam_seats.lock);
    if (found) sem_post(&found->wanted);
    return found != NULL;
}

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0) {}
}

// False if all is to end and no reply has come.
static bool wait_for_reply(struct seat *seat) {
    for (int tries = 0; sem_trywait(&seat->answered) != 0;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        if (sem_clockwait(&seat->answered, CLOCK_MONOTONIC, &until) == 0) return true;
        if (atomic_load(&mam_seats.phase) == ENDING && errno == ETIMEDOUT && ++tries > 1) return false;
    }
    return true;
}

static void answer_error(uint64_t unique, int error) {
    struct fuse_out_header head = {.len = sizeof head, .error = -error, .unique = unique};
    const struct iovec part = {&head, sizeof head};
    mam_ring_answer(&part, 1);
}

static void end_wait(struct seat *seat) {
    if (!seat->waits) return;
    seat->waits = false;
    pthread_mutex_lock(&mam_seats.lock);
    mam_seats.queues[seat->queue].waits--;
    pthread_mutex_unlock(&mam_seats.lock);
}

// False if there will be no reply. Until there is one nothing else is given to this seat, whoever makes it.
static bool serve_request(struct seat *seat, uint64_t unique) {
    seat->operation = seat->header->in.opcode;
    const bool is_whole = assemble(seat);
    atomic_store(&seat->unique, unique);
    mam_lone_note(seat->header->in.pid, seat->queue, !is_costly(seat));
    if (!is_whole) answer_error(unique, EIO);
    else if (is_costly(seat) && is_lent_to_helper(seat)) wait_for(&seat->served);
    else run(seat);
    const bool is_answered = wait_for_reply(seat);
    end_wait(seat);
    if (is_answered) return true;
    if (atomic_exchange(&seat->unique, 0) != 0) return false;
    // It is being made.
    wait_for(&seat->answered);
    return true;
}

// What the kernel writes back all comes by one queue, more than its processor can do while another has nothing. A queue that never
// had a request may be that of a processor which is not there.
static bool is_crowded(const struct seat *seat) {
    enum { CROWD = 4, REST = 2 };
    const int64_t most = mam_seats.seats_of_queue;
    const int64_t busy = most - mam_ring_waiting_count(seat->queue);
    if (seat->roams) return busy >= REST;
    if (busy < CROWD) return false;
    for (int i = 0; i < mam_seats.queue_count; i++)
        if (i != seat->queue && mam_ring_waiting_count(i) >= most && mam_ring_taken_count(i) > 0) return true;
    return false;
}

static void choose_processor(struct seat *seat) {
    const bool roams = is_crowded(seat);
    if (roams == seat->roams) return;
    if (roams) mam_lone_end();
    mam_seat_roam(seat, roams);
}

void mam_seat_serve(struct seat *seat) {
    struct queue *queue = &mam_seats.queues[seat->queue];
    uint64_t unique = 0;
    while (true) {
        atomic_fetch_add_explicit(&queue->waiting, 1, memory_order_relaxed);
        const bool is_there = next_request(seat, unique);
        atomic_fetch_sub_explicit(&queue->waiting, 1, memory_order_relaxed);
        if (!is_there) return;
        atomic_fetch_add_explicit(&queue->taken, 1, memory_order_relaxed);
        unique = seat->header->in.unique;
        choose_processor(seat);
        if (!serve_request(seat, unique) || !commit(seat, unique)) return;
    }
}

void *mam_help(void *argument) {
    struct helper *helper = argument;
    pthread_setname_np(pthread_self(), "ring-helper");
    while (true) {
        pthread_mutex_lock(&mam_seats.lock);
        helper->next = mam_seats.idle;
        mam_seats.idle = helper;
        pthread_mutex_unlock(&mam_seats.lock);
        wait_for(&helper->wanted);
        // Without one it is the end.
        struct seat *seat = helper->seat;
        helper->seat = NULL;
        if (!seat) break;
        run(seat);
        sem_post(&seat->served);
    }
    mam_seats_report(&mam_seats.ended);
    return NULL;
}

// Beginning and end

static bool make_room(struct seat *seat) {
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *room = mmap(NULL, PAGE + mam_seats.payload, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (room == MAP_FAILED) return false;
    // No huge pages: most seats are rarely used, and take memory only then.
    madvise(room, PAGE + mam_seats.payload, MADV_NOHUGEPAGE);
    madvise(room, PAGE + mam_seats.payload, MADV_DONTDUMP);
    seat->room = room;
    seat->header = (struct header *)room;
    seat->payload = room + PAGE;
    seat->buffers[0] = (struct iovec){seat->header, sizeof *seat->header};
    seat->buffers[1] = (struct iovec){seat->payload, mam_seats.payload};
    return true;
}

bool mam_seat_open(struct seat *seat) { return mam_io_ring_open(&seat->ring) && make_room(seat); }

void mam_seat_close(struct seat *seat) {
    mam_io_ring_close(&seat->ring);
    if (seat->room) munmap(seat->room, PAGE + mam_seats.payload);
    seat->room = NULL;
}

// The kernel has looked at it when it has taken it: what it refuses is completed at once.
bool mam_seat_register(struct seat *seat) {
    add_stop(seat);
    add_command(seat, REGISTER, 0);
    if (!mam_io_ring_send(&seat->ring)) return false;
    const struct io_uring_cqe *found = completed_request(seat);
    if (!found || found->res == 0) return true;
    errno = -found->res;
    return false;
}
