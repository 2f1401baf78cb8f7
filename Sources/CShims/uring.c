// The threads: how they begin, and how they end.
#define _GNU_SOURCE
#include "ring_seat.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 1 << 20, MAXIMUM_HELPERS = 4, MAXIMUM_MORE = 32 };

struct seats mam_seats = {
    .device = -1, .stop = -1, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

void mam_seats_report(int *count) {
    pthread_mutex_lock(&mam_seats.lock);
    (*count)++;
    pthread_cond_broadcast(&mam_seats.changed);
    pthread_mutex_unlock(&mam_seats.lock);
}

static void report_error(void) {
    pthread_mutex_lock(&mam_seats.lock);
    if (!mam_seats.error) mam_seats.error = errno ? errno : EIO;
    pthread_cond_broadcast(&mam_seats.changed);
    pthread_mutex_unlock(&mam_seats.lock);
}

static void set_phase(enum phase phase) {
    pthread_mutex_lock(&mam_seats.lock);
    atomic_store(&mam_seats.phase, phase);
    pthread_cond_broadcast(&mam_seats.changed);
    pthread_mutex_unlock(&mam_seats.lock);
}

static enum phase wait_for_phase(void) {
    pthread_mutex_lock(&mam_seats.lock);
    while (mam_seats.phase == PREPARING) pthread_cond_wait(&mam_seats.changed, &mam_seats.lock);
    const enum phase found = atomic_load(&mam_seats.phase);
    pthread_mutex_unlock(&mam_seats.lock);
    return found;
}

// False if it does not come to that, or one of them has failed.
static bool wait_until(const int *count, int wanted, int64_t milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000 + 1;
    pthread_mutex_lock(&mam_seats.lock);
    int late = 0;
    while (*count < wanted && !late && (atomic_load(&mam_seats.phase) == ENDING || !mam_seats.error))
        late = pthread_cond_clockwait(&mam_seats.changed, &mam_seats.lock, CLOCK_MONOTONIC, &until);
    const bool is_reached = *count >= wanted;
    pthread_mutex_unlock(&mam_seats.lock);
    return is_reached;
}

// Its callers are on that processor: that is what makes it fast. Where it is not allowed, any will do.
void mam_seat_roam(struct seat *seat, bool roams) {
    cpu_set_t allowed;
    if (seat->queue >= CPU_SETSIZE) return;
    CPU_ZERO(&allowed);
    for (int i = 0; i < mam_seats.queue_count && i < CPU_SETSIZE; i++)
        if (roams || i == seat->queue) CPU_SET(i, &allowed);
    pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
    seat->roams = roams;
}

static void settle_down(struct seat *seat) {
    char name[16];
    snprintf(name, sizeof name, "ring-%d", seat->queue);
    pthread_setname_np(pthread_self(), name);
    mam_seat_roam(seat, false);
}

static void *work(void *argument) {
    struct seat *seat = argument;
    settle_down(seat);
    if (mam_seat_open(seat)) mam_seats_report(&mam_seats.ready);
    else report_error();
    if (wait_for_phase() == SERVING) {
        if (mam_seat_register(seat)) {
            mam_seats_report(&mam_seats.registered);
            mam_seat_serve(seat);
        } else {
            report_error();
        }
    }
    mam_seat_close(seat);
    mam_seats_report(&mam_seats.ended);
    return NULL;
}

// One that is added while others serve.
static void *work_too(void *argument) {
    struct seat *seat = argument;
    settle_down(seat);
    seat->is_registered = mam_seat_open(seat) && mam_seat_register(seat);
    const bool serves = seat->is_registered;
    sem_post(&seat->served);
    if (serves) mam_seat_serve(seat);
    mam_seat_close(seat);
    mam_seats_report(&mam_seats.ended);
    return NULL;
}

static bool start(void *(*body)(void *), void *argument) {
    const int error = mam_start_thread(body, argument, STACK);
    if (error) {
        mam_seats.error = error;
        return false;
    }
    mam_seats.started++;
    return true;
}

static bool start_seat(int number, int queue, void *(*body)(void *)) {
    struct seat *seat = &mam_seats.seats[number];
    seat->queue = queue;
    seat->ring.descriptor = -1;
    sem_init(&seat->answered, 0, 0);
    sem_init(&seat->served, 0, 0);
    return start(body, seat);
}

static bool start_all(void) {
    bool is_well = true;
    for (int i = 0; is_well && i < mam_seats.helper_count; i++) {
        sem_init(&mam_seats.helpers[i].wanted, 0, 0);
        is_well = start(mam_help, &mam_seats.helpers[i]);
    }
    for (int i = 0; is_well && i < mam_seats.seat_count; i++) {
        is_well = start_seat(i, i % mam_seats.queue_count, work);
        mam_seats.queues[i % mam_seats.queue_count].seats++;
    }
    return is_well;
}

// Nobody else adds one meanwhile: `lock` is held.
bool mam_seats_add(int queue) {
    const int number = mam_seats.seat_count;
    if (mam_seats.more == MAXIMUM_MORE || atomic_load(&mam_seats.phase) != SERVING) return false;
    if (!start_seat(number, queue, work_too)) return false;
    mam_seats.more++;
    mam_seats.seat_count = number + 1;
    while (sem_wait(&mam_seats.seats[number].served) != 0) {}
    if (!mam_seats.seats[number].is_registered) return false;
    mam_seats.queues[queue].seats++;
    return true;
}

// As many as the kernel has queues: processors that there may ever be.
static int possible_processors(void) {
    FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
    if (!file) return 0;
    int count = 0, first, last;
    while (fscanf(file, "%d", &first) == 1) {
        int next = fgetc(file);
        last = first;
        if (next == '-') {
            if (fscanf(file, "%d", &last) != 1) break;
            next = fgetc(file);
        }
        count += last - first + 1;
        if (next != ',') break;
    }
    fclose(file);
    return count;
}

// As many threads as read /dev/fuse otherwise, for each queue by itself; fewer where there are many processors.
static int seats_of_queue(int queues) {
    const int share = 40 / queues;
    return share > 10 ? 10 : share < 4 ? 4 : share;
}

int mam_ring_prepare(int device, size_t payload, mam_serve serve, void *session) {
    const int queues = possible_processors();
    if (queues <= 0) return ENODEV;
    mam_seats.serve = serve;
    mam_seats.session = session;
    mam_seats.payload = (payload + PAGE - 1) / PAGE * PAGE;
    mam_seats.queue_count = queues;
    mam_seats.seats_of_queue = seats_of_queue(queues);
    mam_seats.seat_count = queues * mam_seats.seats_of_queue;
    mam_seats.helper_count = queues < MAXIMUM_HELPERS ? queues : MAXIMUM_HELPERS;
    // One of our own: libfuse closes its own, and the number may be another file's then.
    mam_seats.device = fcntl(device, F_DUPFD_CLOEXEC, 3);
    mam_seats.stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    mam_seats.queues = aligned_alloc(_Alignof(struct queue), (size_t)queues * sizeof *mam_seats.queues);
    mam_seats.seats = calloc((size_t)mam_seats.seat_count + MAXIMUM_MORE, sizeof *mam_seats.seats);
    mam_seats.helpers = calloc((size_t)mam_seats.helper_count, sizeof *mam_seats.helpers);
    const bool has_memory = mam_seats.queues && mam_seats.seats && mam_seats.helpers;
    const bool has_parts = has_memory && mam_seats.device >= 0 && mam_seats.stop >= 0;
    int error = has_parts ? 0 : errno;
    if (has_parts) {
        memset(mam_seats.queues, 0, (size_t)queues * sizeof *mam_seats.queues);
        if (start_all()) wait_until(&mam_seats.ready, mam_seats.seat_count, 5000);
        error = mam_seats.ready == mam_seats.seat_count ? 0 : mam_seats.error ? mam_seats.error : ETIMEDOUT;
    }
    if (error) mam_ring_stop(5000);
    return error;
}

// One that the kernel refuses makes it stay with /dev/fuse; without that all would wait for queues that never come. It is
// refused for want of buffers.
static void refuse_ring(void) {
    struct seat seat = {.ring.descriptor = -1};
    if (mam_io_ring_open(&seat.ring)) mam_seat_register(&seat);
    mam_seat_close(&seat);
}

int mam_ring_register(void) {
    set_phase(SERVING);
    mam_seats.is_used = wait_until(&mam_seats.registered, mam_seats.seat_count, 1000);
    if (mam_seats.is_used) return 0;
    // Those that are registered stay: if every queue has one, requests come there all the same.
    refuse_ring();
    return mam_seats.error ? mam_seats.error : ETIMEDOUT;
}

int mam_ring_stop(int64_t milliseconds) {
    if (!mam_seats.seats) return 1;
    set_phase(ENDING);
    eventfd_write(mam_seats.stop, 1);
    for (int i = 0; i < mam_seats.helper_count; i++) sem_post(&mam_seats.helpers[i].wanted);
    if (!wait_until(&mam_seats.ended, mam_seats.started, milliseconds)) return 0;
    close(mam_seats.device);
    close(mam_seats.stop);
    mam_seats.device = mam_seats.stop = -1;
    return 1;
}

int mam_ring_queue_count(void) { return mam_seats.is_used ? mam_seats.queue_count : 0; }

int mam_ring_thread_count(void) { return mam_seats.is_used ? mam_seats.seat_count + mam_seats.helper_count : 0; }

int64_t mam_ring_waiting_count(int queue) {
    return atomic_load_explicit(&mam_seats.queues[queue].waiting, memory_order_relaxed);
}

int64_t mam_ring_taken_count(int queue) {
    return atomic_load_explicit(&mam_seats.queues[queue].taken, memory_order_relaxed);
}
